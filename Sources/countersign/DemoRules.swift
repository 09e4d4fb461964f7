/// The rule file of the demo, conf/demo.yaml as it stands.
enum DemoRules {
    static let text = """
        # What `countersign demo` runs by: the proxy in front of an origin and a parent proxy of the demo's own, all on this machine.
        # The names and passwords are for show. In a rule file of your own, write { file: PATH } in place of { value: TEXT }.
        version: 1

        listeners:
          - address: 127.0.0.1:3128
            name: demo

        credentials:
          visitor: { username: demo, password: { value: demo-password } }
          parent: { username: demo-parent, password: { value: demo-parent-password } }

        rules:
          # The demo's origin: /basic demands Basic, /digest and /digest-sha256 Digest, /both offers two of them, /open nothing.
          # It is dialled directly on this machine, so Basic needs no `cleartext` here. The path keeps Basic, which is otherwise
          # sent ahead to all that lies in the same directory, from the pages that demand something else.
          - space: { host: 127.0.0.1, port: 8401, path: /basic }
            use: visitor
          - space: { host: 127.0.0.1, port: 8401 }
            use: visitor

        proxies:
          # A parent proxy that demands Digest of whoever asks it.
          demanding:
            url: http://127.0.0.1:8407
            use: parent
            method: [digest]

        routes:
          - host: parent.demo
            via: demanding

        """
}
