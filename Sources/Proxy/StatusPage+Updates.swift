extension StatusPage {
    /// What asks for the JSON and puts it into the page, changing only what changed.
    static let updates = #"""
        const POLL = 2000, PATIENCE = 10000, MOST_ROWS = 500;

        function ago(unix) {
          const off = Math.round(now - unix), n = Math.abs(off);
          const text = n < 90 ? `${n} s` : n < 5400 ? `${Math.round(n / 60)} min`
            : n < 129600 ? `${Math.round(n / 3600)} h` : `${Math.round(n / 86400)} days`;
          return off < 0 ? `in ${text}` : n < 2 ? "now" : `${text} ago`;
        }
        const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
        const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
        function moment(unix) {
          const isToday = new Date(unix * 1000).toDateString() === new Date(now * 1000).toDateString();
          return `${isToday ? "" : day.format(new Date(unix * 1000)) + ", "}${at(seconds, unix)} (${ago(unix)})`;
        }
        const time = unix => el("time", { datetime: new Date(unix * 1000).toISOString(), title: at(full, unix),
          "data-at": unix }, moment(unix));

        const badge = (kind, text) => el("span", { class: `badge ${kind}` }, text);
        const code = text => el("code", {}, text);
        const plain = text => el("span", {}, text);
        const none = text => el("span", { class: "none" }, text);

        // Copies where the browser lets a page do so (https, this machine); elsewhere it selects.
        function copyButton(target, what) {
          const button = el("button", { type: "button", "aria-label": `Copy ${what}` }, "Copy");
          button.addEventListener("click", async () => {
            let said = "Copied";
            try { await navigator.clipboard.writeText(target.textContent); } catch {
              getSelection().selectAllChildren(target);
              said = "Selected";
            }
            say(button, said);
            setTimeout(() => say(button, "Copy"), 1500);
          });
          return button;
        }

        // Children by key: those whose item is the same stay the nodes that they are.
        function keep(parent, items, key, make) {
          const before = parent.kept ?? new Map(), after = new Map();
          for (const item of items) {
            const name = key(item), told = JSON.stringify(item), old = before.get(name);
            after.set(name, old?.told === told ? old : { told, node: make(item) });
          }
          parent.kept = after;
          arrange(parent, [...after.values()].map(entry => entry.node));
        }
        function arrange(parent, nodes) {
          const old = parent.childNodes;
          if (old.length !== nodes.length || nodes.some((node, n) => old[n] !== node)) parent.replaceChildren(...nodes);
        }

        // A table, on a phone a card for each row. A column is [heading, value of an item, node of a value, class].
        function table(id, caption, empty, columns, items, key) {
          const place = byId(id);
          place.note ??= el("p", { class: "empty-note" }, empty);
          place.rest ??= el("p", { class: "hint" });
          place.rows ??= el("tbody");
          const heads = columns.map(([head, , , kind]) => el("th", { scope: "col", class: kind }, head));
          place.table ??= el("table", { class: "cards" }, el("caption", { class: "unseen" }, caption),
            el("thead", {}, el("tr", {}, ...heads)), place.rows);
          const before = place.rows.kept ?? new Map(), after = new Map();
          for (const item of items.slice(0, MOST_ROWS)) {
            const name = key(item);
            const cell = (head, kind) => ({ cell: el("td", { "data-label": head, class: kind }) });
            const row = before.get(name) ?? columns.map(([head, , , kind]) => cell(head, kind));
            columns.forEach(([, value, node], n) => {
              const shown = value(item), told = JSON.stringify(shown);
              if (row[n].told === told) return;
              row[n].told = told;
              // One child, so that a card has it beside its heading.
              row[n].cell.replaceChildren(node ? node(shown) : plain(String(shown)));
            });
            row.node ??= el("tr", {}, ...row.map(part => part.cell));
            after.set(name, row);
          }
          place.rows.kept = after;
          arrange(place.rows, [...after.values()].map(row => row.node));
          say(place.rest, `${items.length - MOST_ROWS} more stand in status.json.`);
          const isCut = items.length > MOST_ROWS;
          arrange(place, !items.length ? [place.note] : isCut ? [place.table, place.rest] : [place.table]);
        }

        function list(id, entries) {
          keep(byId(id), entries, ([name]) => name, ([name, value, note]) => {
            const shown = typeof value === "number" ? time(value) : value;
            const entry = el("div", {}, el("dt", {}, name), el("dd", {}, shown));
            if (note) entry.append(el("dd", { class: "note" }, note));
            return entry;
          });
        }

        function bytes(n) {
          const units = ["B", "KiB", "MiB", "GiB", "TiB"];
          const power = n < 1 ? 0 : Math.min(4, Math.floor(Math.log2(n) / 10));
          return `${Number((n / 1024 ** power).toPrecision(3))} ${units[power]}`;
        }

        const PHASES = { starting: ["warn", "starting"], ready: ["good", "ready"], draining: ["warn", "draining"] };
        function showHead(status) {
          const [kind, word] = PHASES[status.phase] ?? ["", status.phase];
          byId("phase").className = `pill ${kind}`;
          say(byId("phase"), word);
          say(byId("version"), status.version);
          const { last_reload: last, reloads } = status;
          const told = `${count.format(reloads.succeeded)} taken, ${count.format(reloads.failed)} refused`;
          list("facts", [
            ["Up since", status.started_at], ["Rules since", status.rules_since],
            ["Reloads", last === null ? "none yet" : told],
            ["Workers", String(status.workers)], ["Listens at", status.listeners.join(", ") || "nothing yet"],
          ]);
        }

        function showAlerts(status) {
          const alerts = [], { last_reload: last, totals: { dropped_log_lines: dropped } } = status;
          if (status.phase === "draining") {
            alerts.push(["warn", "It was told to end: it serves until nothing is under way or its time is over."]);
          }
          if (last?.problem) {
            const text = `The rule file was refused at ${at(seconds, last.at)}; the rules of `;
            alerts.push(["bad", `${text}${at(seconds, status.rules_since)} stay in force.`, last.problem]);
          }
          if (dropped) {
            const text = "log lines were dropped: whoever reads the log is slower than it.";
            alerts.push(["warn", `${count.format(dropped)} ${text}`]);
          }
          keep(byId("alerts"), alerts, ([, text]) => text, ([kind, text, problem]) => {
            const alert = el("div", { class: `alert ${kind}` }, el("p", {}, el("strong", {}, text)));
            if (problem) alert.append(el("pre", {}, problem));
            return alert;
          });
        }

        function where({ extent, server, target }) {
          if (extent === "everywhere") return `Everywhere: ${server} refused it last`;
          if (extent === "server") return `At ${server}, which refused it`;
          if (extent === "target") return `For ${target} at ${server}, which refused it`;
          return "Its secret was replaced meanwhile";
        }
        function showWithheld(credentials) {
          const withheld = credentials.filter(credential => credential.withheld.length);
          byId("withheld").hidden = !withheld.length;
          document.title = `${withheld.length ? `(${withheld.length} withheld) ` : ""}countersign`;
          keep(byId("withheld").querySelector(".withheld"), withheld.map(({ name, withheld }) => ({ name, withheld })),
            ({ name }) => name, ({ name, withheld }) => {
              const word = /^[\w.@-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
              const command = code(`countersign release ${word}`);
              const places = withheld.slice(0, 20).map(place => el("li", {}, where(place), el("small", {}, "since ",
                time(place.since), place.until === null ? ", until its secret changes or it is released" : ", until ",
                ...(place.until === null ? [] : [time(place.until)]))));
              if (withheld.length > 20) places.push(el("li", {}, `and ${withheld.length - 20} more`));
              return el("div", {}, el("h3", {}, name), el("ul", {}, ...places),
                el("div", { class: "command" }, command, copyButton(command, `the command that releases ${name}`)));
            });
        }

        function showTotals({ responses, challenges, latency_ms: latency, ...totals }) {
          const sum = Object.values(responses).reduce((a, b) => a + b, 0);
          const classes = Object.entries(responses).filter(([, n]) => n)
            .map(([name, n]) => `${name.replace("none", "no\u00a0response")}\u00a0${short(n)}`).join(" · ");
          list("totals", [
            ["requests", count.format(sum), classes],
            ["challenges", count.format(challenges.origin + challenges.parent),
              `origins ${short(challenges.origin)} · parents ${short(challenges.parent)}`],
            ["answered by a credential", count.format(totals.answered)],
            ["sent upstream", count.format(totals.attempts)],
            ["half took at most", duration(latency.p50),
              `90 %: ${duration(latency.p90)} · 99 %: ${duration(latency.p99)}`],
            ["tunnels that ended", count.format(totals.tunnels)],
            ["clients' connections", count.format(totals.client_connections),
              `to upstreams ${short(totals.upstream_connections)}`],
            ["from clients", bytes(totals.bytes_in), `to clients ${bytes(totals.bytes_out)}`],
          ]);
        }

        const STANDINGS = { confirmed: ["good", "confirmed"], unconfirmed: ["", "not confirmed yet"],
          probation: ["warn", "confirmed before: one goes first"], withheld: ["bad", "withheld"] };
        const VERDICTS = { accepted: "good", observed: "warn", reported: "warn", refused: "bad" };
        const serverCell = text => {
          const [, kind, url] = /^(origin|parent) (.*)$/s.exec(text) ?? [null, "", text];
          return el("span", {}, url, ...(kind === "parent" ? [" ", badge("", "parent")] : []));
        };
        const pinsCell = pins => !pins.length ? none("none seen") : el("ul", { class: "pins" }, ...pins.map(pin => {
          const text = code(pin);
          return el("li", {}, text, copyButton(text, "the pin"));
        }));

        function showSpaces(spaces) {
          table("spaces", "Protection spaces and what answers them",
            "No challenge was answered yet. A space appears once a server asks for a login that a rule answers.",
            [
              ["Server", item => item.server, serverCell, "loose"],
              ["Realm", item => item.realm, realm => realm === null ? none("none by rule") : plain(realm), "loose"],
              ["Method", item => item.method],
              ["Answered by", item => item.credential, name => el("strong", {}, name)],
              ["Decided by", item => item.rule, code],
            ], spaces, item => JSON.stringify([item.server, item.realm, item.method, item.credential]));
        }
        function showCredentials(credentials) {
          table("credentials", "Credentials and what is thought of them",
            "No credential was used yet. Each appears with its first request, and whether its server took it.",
            [
              ["Name", item => item.name, name => el("strong", {}, name)],
              ["Standing", item => item.standing, word => badge(...(STANDINGS[word] ?? ["", word]))],
              ["Withheld at", item => item.withheld.length,
                n => plain(n ? `${n} place${n > 1 ? "s" : ""}, see above` : "nowhere")],
              ["Under way", item => item.scouts, null, "number"],
              ["Waiting", item => item.waiting, null, "number"],
            ], credentials, item => item.name);
        }
        function showTrust(trust) {
          table("trust", "Trust verdicts and the pins that were seen",
            "No server has shown a certificate yet. The verdict on each appears here, with pins to paste under 'trust'.",
            [
              ["Server", item => item.server, null, "loose"],
              ["Verdict", item => item.verdict, word => badge(VERDICTS[word] ?? "", word)],
              ["Reason", item => item.reason, text => text ? code(text) : none("–")],
              ["Policy", item => item.policy, text => text ? code(text) : none("default")],
              ["Pins seen", item => item.pins, pinsCell, "loose"],
              ["Times", item => item.count, n => plain(count.format(n)), "number"],
              ["Last", item => item.at, time, "short"],
            ], trust, item => JSON.stringify([item.server, item.policy, item.verdict, item.reason, item.pins]));
        }
        function showWays(ways) {
          table("ways", "Parents and other ways to upstreams",
            "No way was taken yet. One that fails is left out for a while, and shown here until it is tried again.",
            [
              ["Way", item => item.name, name => el("strong", {}, name)],
              ["State", item => item.is_resting,
                isResting => isResting ? badge("bad", "failed, resting") : badge("good", "in use")],
              ["Tried again", item => item.is_resting ? item.seconds_left : null,
                left => left === null ? none("–") : plain(`in ${left} s`)],
            ], ways, item => item.name);
        }
        function showReasons(reasons) {
          table("reasons", "Failures by reason code", "Nothing failed since the start.",
            [["Reason", ([reason]) => reason, code], ["Times", ([, n]) => n, n => plain(count.format(n))]],
            Object.entries(reasons).sort((a, b) => b[1] - a[1]), ([reason]) => reason);
        }

        function showHour() {
          const details = byId("hour-values");
          if (!details.open) return;
          const heads = ["Until", "Requests", "Challenges", "p50", "p90", "p99", "Failures"];
          const cells = ({ at: end, requests, challenges, p50, p90, p99, reasons }) => [
            at(seconds, end), requests, challenges, ...[p50, p90, p99].map(duration),
            Object.entries(reasons).map(([reason, n]) => `${reason} ${n}`).join(", ") || "–",
          ];
          const rows = history.points.filter(point => point.requests || point.challenges).reverse()
            .map(point => el("tr", {}, ...cells(point).map(cell => el("td", {}, String(cell)))));
          const caption = "The last hour in steps of ten seconds, without those in which nothing came";
          const values = el("table", {}, el("caption", { class: "unseen" }, caption),
            el("thead", {}, el("tr", {}, ...heads.map(head => el("th", { scope: "col" }, head)))),
            el("tbody", {}, ...rows));
          const none = el("p", { class: "empty-note" }, "Nothing came in the last hour.");
          details.querySelector(".scroll").replaceChildren(rows.length ? values : none);
        }

        function show(status) {
          now = status.now;
          startedAt = status.started_at;
          const chosen = cursor === null ? null : history.points[cursor]?.at;
          history = status.history;
          cursor = chosen === null ? null : history.points.findIndex(point => point.at === chosen);
          if (cursor === -1) cursor = null;
          showHead(status);
          showAlerts(status);
          showWithheld(status.credentials);
          showTotals(status.totals);
          showSpaces(status.spaces);
          showCredentials(status.credentials);
          showTrust(status.trust);
          showWays(status.ways);
          showReasons(status.totals.reasons);
          for (const node of document.querySelectorAll("time")) say(node, moment(Number(node.dataset.at)));
          for (const plot of all) plot.draw();
          const last = history.points.at(-1)?.at;
          if (last !== show.last) showHour();
          show.last = last;
        }

        let timer = 0, heardAt = null, isAsking = false;
        async function ask() {
          if (isAsking || document.hidden) return;
          isAsking = true;
          clearTimeout(timer);
          const freshness = byId("freshness");
          try {
            const response = await fetch("status.json", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
            if (!response.ok) throw new Error(`the answer is ${response.status}`);
            show(await response.json());
            heardAt = Date.now() / 1000;
            freshness.className = "live";
            say(freshness, "live");
          } catch (error) {
            const why = error instanceof TypeError || error.name === "TimeoutError" ? "no answer" : error.message;
            freshness.className = "lost";
            say(freshness, `${why}${heardAt === null ? "" : `; this is how it was at ${at(seconds, heardAt)}`}`);
          }
          isAsking = false;
          timer = setTimeout(ask, POLL);
        }

        byId("plots").append(...all.map(plot => plot.figure));
        byId("hour-values").addEventListener("toggle", showHour);
        document.addEventListener("visibilitychange", ask);
        new ResizeObserver(() => { if (now) for (const plot of all) plot.draw(); }).observe(byId("plots"));
        ask();
        """#
}
