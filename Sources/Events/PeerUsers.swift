internal import Bytes
internal import CEvent
internal import Glibc

/// Asks the kernel whose process has the other end of a TCP connection within this machine [sock_diag(7)].
///
/// For one loop; the kernel answers within the call, so nothing is waited for.
package final class PeerUsers {
    private let descriptor: Descriptor
    private var lastNumber: UInt32 = 0
    private var answer = [UInt8](repeating: 0, count: 512)

    // linux/netlink.h, linux/sock_diag.h and linux/inet_diag.h, which no module has.
    private static let netlinkSockDiag: Int32 = 4
    private static let sockDiagByFamily: UInt16 = 20
    private static let isRequest: UInt16 = 1
    private static let anyCookie = UInt32.max
    private static let headerLength = 16
    private static let questionLength = 72
    private static let messageLength = 72
    private static let stateListen: UInt8 = 10
    private static let stateTimeWait: UInt8 = 6

    /// Fails where the kernel has no such sockets.
    package init() throws(SystemError) {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let rawValue = socket(AF_NETLINK, type, Self.netlinkSockDiag)
        guard rawValue >= 0 else { throw SystemError(.socket) }
        descriptor = Descriptor(owning: rawValue)
    }

    /// A socket as the kernel knows it.
    package struct Socket: Sendable {
        /// Whose it is.
        package let user: UInt32
        /// What its processes' descriptors name it by.
        package let inode: UInt32
    }

    /// The user of the socket at `peer` that is connected to `own`; nil where the kernel knows of none, or no process
    /// has it any more.
    package func user(of peer: SocketAddress, connectedTo own: SocketAddress) -> UInt32? {
        peerSocket(at: peer, connectedTo: own)?.user
    }

    /// The socket at `peer` that is connected to `own`; nil where the kernel knows of none, or no process has it any more.
    package func peerSocket(at peer: SocketAddress, connectedTo own: SocketAddress) -> Socket? {
        lastNumber &+= 1
        let question = Self.question(peer, own, number: lastNumber)
        let sent = unsafe question.withUnsafeBytes { bytes in
            unsafe send(descriptor.rawValue, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == question.count else { return nil }
        // The answer to an earlier question may be left over.
        for _ in 0..<8 {
            let count = unsafe recv(descriptor.rawValue, &answer, answer.count, 0)
            guard count >= Self.headerLength else { return nil }
            guard number(at: 8) == lastNumber else { continue }
            return count >= Self.headerLength + Self.messageLength ? readSocket() : nil
        }
        return nil
    }

    private func readSocket() -> Socket? {
        guard answer[4] == UInt8(Self.sockDiagByFamily), answer[5] == 0 else { return nil }
        let state = answer[Self.headerLength + 1]
        guard state != Self.stateListen, state != Self.stateTimeWait else { return nil }
        let user = Self.headerLength + 64
        // A socket that its process has closed is nobody's, which the kernel tells as user 0 and inode 0.
        let inode = number(at: user + 4)
        return inode == 0 ? nil : Socket(user: number(at: user), inode: inode)
    }

    private func number(at offset: Int) -> UInt32 {
        let bytes = (UInt32(answer[offset]), UInt32(answer[offset + 1]))
        let upper = (UInt32(answer[offset + 2]), UInt32(answer[offset + 3]))
        return UInt32(littleEndian: bytes.0 | bytes.1 << 8 | upper.0 << 16 | upper.1 << 24)
    }
}

extension PeerUsers {
    /// A header and inet_diag_req_v2, in the machine's order but for ports and addresses.
    private static func question(_ peer: SocketAddress, _ own: SocketAddress, number: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(questionLength)
        append(UInt32(questionLength), to: &bytes)
        append(sockDiagByFamily, to: &bytes)
        append(isRequest, to: &bytes)
        append(number, to: &bytes)
        append(UInt32(0), to: &bytes)
        bytes += [UInt8(peer.family), UInt8(IPPROTO_TCP), 0, 0]
        // Any state.
        append(UInt32.max, to: &bytes)
        append(peer.port.bigEndian, to: &bytes)
        append(own.port.bigEndian, to: &bytes)
        append(peer.address, to: &bytes)
        append(own.address, to: &bytes)
        append(UInt32(0), to: &bytes)
        append(anyCookie, to: &bytes)
        append(anyCookie, to: &bytes)
        return bytes
    }

    private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number) { bytes.append(contentsOf: unsafe Array($0)) }
    }

    private static func append(_ address: IPAddress, to bytes: inout [UInt8]) {
        if let value = address.v4 {
            append(value.bigEndian, to: &bytes)
            bytes += [UInt8](repeating: 0, count: 12)
        } else {
            append(address.high.bigEndian, to: &bytes)
            append(address.low.bigEndian, to: &bytes)
        }
    }
}

@available(*, unavailable)
extension PeerUsers: Sendable {}
