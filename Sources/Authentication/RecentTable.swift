/// A table that holds a bounded number of entries: one too many drops the oldest.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let bound: Int
    private var values: [Key: (value: Value, turn: UInt64)] = [:]
    /// In the order of insertion; one whose turn isn't that of `values` was removed.
    private var order: [(key: Key, turn: UInt64)] = []
    private var nextTurn: UInt64 = 0

    init(bound: Int) {
        self.bound = bound
    }

    var count: Int { values.count }
    var isEmpty: Bool { values.isEmpty }
    var keys: some Sequence<Key> { values.keys }
    /// Oldest first.
    var contents: [Value] { values.values.sorted { $0.turn < $1.turn }.map(\.value) }

    subscript(key: Key) -> Value? {
        get { values[key]?.value }
        set {
            guard let newValue else {
                values[key] = nil
                return
            }
            guard values[key] == nil else {
                values[key]?.value = newValue
                return
            }
            insert(newValue, for: key)
        }
    }

    mutating func removeAll() {
        values.removeAll()
        order.removeAll()
    }

    mutating func removeAll(where isUnwanted: (Key) -> Bool) {
        for key in values.keys.filter(isUnwanted) { values[key] = nil }
    }

    private mutating func insert(_ value: Value, for key: Key) {
        values[key] = (value, nextTurn)
        order.append((key, nextTurn))
        nextTurn += 1
        guard values.count > bound || order.count > 2 * bound else { return }
        order.removeAll { values[$0.key]?.turn != $0.turn }
        // An eighth at once, so that this walk isn't made for each insertion.
        let surplus = values.count > bound ? max(1, bound / 8) : 0
        for entry in order.prefix(surplus) { values[entry.key] = nil }
        order.removeFirst(min(surplus, order.count))
    }
}
