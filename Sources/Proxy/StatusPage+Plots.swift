extension StatusPage {
    /// The plots of the last hour: an SVG each, a moment of all of them read by pointer or by arrow keys.
    static let plots = #"""
        "use strict";
        const byId = id => document.getElementById(id);

        // What comes from the network is set as text and never as markup.
        function fill(node, attributes, children) {
          for (const [name, value] of Object.entries(attributes ?? {})) {
            if (value !== null && value !== undefined) node.setAttribute(name, value);
          }
          node.append(...children);
          return node;
        }
        const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
        const svg = (name, attributes, ...children) =>
          fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
        // Changes nothing where nothing changed, so that a selection survives.
        function say(node, text) { if (node.textContent !== text) node.textContent = text; }

        const count = new Intl.NumberFormat("en");
        const minutes = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
        const seconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
        const at = (format, unix) => format.format(new Date(unix * 1000));
        const rounded = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
        const short = value => value < 1e4 ? count.format(value) : rounded.format(value);
        function duration(ms) {
          if (ms === null || ms === undefined) return "–";
          if (ms < 10) return `${Number(ms.toPrecision(2))} ms`;
          if (ms < 1000) return `${Math.round(ms)} ms`;
          return ms < 60000 ? `${Number((ms / 1000).toPrecision(3))} s` : `${Number((ms / 60000).toPrecision(3))} min`;
        }

        const HOUR = 3600, HEIGHT = 170, LEFT = 52, RIGHT = 10, TOP = 10, BOTTOM = 24;
        const DASHES = [null, "7 4", "2 4"];
        let history = { interval: 10, points: [] }, now = 0, startedAt = 0, cursor = null;
        const all = [];

        // Powers of ten for durations; else 0 and up to four multiples of 1, 2 or 5 times a power of ten.
        function linear(highest) {
          const rough = Math.max(1, highest / 3), power = 10 ** Math.floor(Math.log10(rough));
          const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough);
          const top = Math.max(step, Math.ceil(highest / step) * step), ticks = [];
          for (let tick = 0; tick <= top; tick += step) ticks.push(tick);
          return { ticks, place: value => value / top };
        }
        function logarithmic(values) {
          const log = value => Math.log10(Math.max(0.01, value));
          const low = Math.floor(Math.min(...values.map(log)));
          const high = Math.max(low + 1, Math.ceil(Math.max(...values.map(log)))), ticks = [];
          for (let power = low; power <= high; power++) ticks.push(10 ** power);
          return { ticks, place: value => (log(value) - low) / (high - low) };
        }

        class Plot {
          // series(points) gives [{ name, values }]; counts are drawn as columns upon each other, durations as lines.
          constructor(title, note, empty, isDuration, series) {
            Object.assign(this, { title, note, empty, isDuration, series });
            this.moment = el("span");
            this.legend = el("ul", { class: "legend" });
            const name = `${title}, ${note}: moment`;
            this.plot = svg("svg", { class: "plot", tabindex: 0, role: "slider", "aria-label": name });
            this.figure = el("figure", {}, el("figcaption", {}, el("h3", {}, title), el("span", {}, note), this.moment),
              this.legend, this.plot);
            const point = event => choose(this.index(event.clientX));
            this.plot.addEventListener("pointermove", point);
            this.plot.addEventListener("pointerdown", point);
            this.plot.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") choose(null); });
            this.plot.addEventListener("keydown", event => this.key(event));
            this.plot.addEventListener("blur", () => choose(null));
            all.push(this);
          }

          x(unix) { return LEFT + (unix - now + HOUR) / HOUR * (this.width - LEFT - RIGHT); }
          y(part) { return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM); }
          text(index, value) { return this.isDuration ? duration(value) : count.format(value); }

          index(clientX) {
            if (!history.points.length) return null;
            const left = this.plot.getBoundingClientRect().left, middle = history.interval / 2;
            const off = history.points.map(point => Math.abs(this.x(point.at - middle) - (clientX - left)));
            return off.indexOf(Math.min(...off));
          }

          key(event) {
            const last = history.points.length - 1, from = cursor ?? last;
            const to = { ArrowLeft: from - 1, ArrowDown: from - 1, ArrowRight: from + 1, ArrowUp: from + 1,
              PageDown: from - 30, PageUp: from + 30, Home: 0, End: last }[event.key];
            if (event.key === "Escape") choose(null);
            if (to === undefined || last < 0) return;
            event.preventDefault();
            choose(Math.min(last, Math.max(0, to)));
          }

          draw() {
            this.width = Math.max(200, this.figure.clientWidth);
            this.lines = this.series(history.points);
            const values = this.lines.flatMap(line => line.values).filter(value => value !== null);
            const isEmpty = !values.some(value => value > 0);
            const sums = history.points.map((_, n) => this.lines.reduce((sum, line) => sum + line.values[n], 0));
            const scale = this.isDuration && !isEmpty ? logarithmic(values) : linear(Math.max(0, ...sums));
            const parts = this.frame(scale, isEmpty);
            if (isEmpty) {
              const text = history.points.length ? this.empty : "The first values come in 10 s.";
              const x = (this.width + LEFT - RIGHT) / 2;
              parts.push(svg("text", { class: "empty", x, y: 80, "text-anchor": "middle" }, text));
            } else {
              parts.push(...(this.isDuration ? this.drawLines(scale) : this.drawColumns(scale)));
            }
            this.line = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
            this.plot.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
            this.plot.replaceChildren(...parts, this.line);
            this.drawLegend();
            this.read();
          }

          frame(scale, isEmpty) {
            const parts = [], right = this.width - RIGHT, bottom = HEIGHT - BOTTOM;
            for (const tick of isEmpty ? [] : scale.ticks) {
              const y = Math.round(this.y(scale.place(tick))), text = this.isDuration ? duration(tick) : short(tick);
              parts.push(svg("line", { class: "grid", x1: LEFT, x2: right, y1: y, y2: y }),
                svg("text", { x: LEFT - 7, y: y + 4, "text-anchor": "end" }, text));
            }
            const step = this.width < 420 ? 1200 : 600;
            for (let time = Math.ceil((now - HOUR) / step) * step; time <= now; time += step) {
              const x = this.x(time);
              parts.push(svg("line", { class: "base", x1: x, x2: x, y1: bottom, y2: bottom + 4 }));
              if (x > LEFT + 12 && x < right - 12) {
                parts.push(svg("text", { x, y: HEIGHT - 6, "text-anchor": "middle" }, at(minutes, time)));
              }
            }
            parts.push(svg("line", { class: "base", x1: LEFT, x2: right, y1: bottom, y2: bottom }));
            if (startedAt > now - HOUR) {
              const x = this.x(startedAt), side = x > this.width / 2 ? -6 : 6;
              parts.push(svg("line", { class: "born", x1: x, x2: x, y1: TOP, y2: bottom }),
                svg("text", { x: x + side, y: TOP + 9, "text-anchor": side < 0 ? "end" : "start" }, "started"));
            }
            return parts;
          }

          drawColumns(scale) {
            const below = history.points.map(() => 0);
            const height = value => this.y(scale.place(value)).toFixed(1);
            return this.lines.map((line, place) => {
              let path = "";
              line.values.forEach((value, n) => {
                if (!value) return;
                const end = this.x(history.points[n].at), whole = this.x(history.points[n].at - history.interval);
                const start = Math.max(LEFT, Math.min(whole, end - 1.6));
                const low = height(below[n]), high = height(below[n] += value);
                path += `M${start.toFixed(2)} ${low}V${high}H${end.toFixed(2)}V${low}Z`;
              });
              return svg("path", { class: `f${place}`, d: path });
            });
          }

          drawLines(scale) {
            return this.lines.map((line, place) => {
              let path = "", before = null;
              line.values.forEach((value, n) => {
                const time = history.points[n].at;
                if (value !== null) {
                  const isNew = before === null || time - before > history.interval * 1.5;
                  const x = Math.max(LEFT, this.x(time - history.interval / 2)).toFixed(2);
                  // A moment by itself is a dot.
                  path += `${isNew ? "M" : "L"}${x} ${this.y(scale.place(value)).toFixed(1)}${isNew ? "h.01" : ""}`;
                }
                before = value === null ? null : time;
              });
              return svg("path", { class: `line s${place}`, d: path, "stroke-dasharray": DASHES[place] });
            });
          }

          drawLegend() {
            const names = this.lines.map(line => line.name).join("\n");
            if (names === this.names) return;
            this.names = names;
            this.values = this.lines.map(() => el("b"));
            this.legend.replaceChildren(...this.lines.map((line, place) => {
              const dash = { x1: 1, x2: 19, y1: 5, y2: 5, "stroke-dasharray": DASHES[place] };
              const swatch = this.isDuration ? svg("line", { class: `line s${place}`, ...dash })
                : svg("rect", { class: `f${place}`, x: 5, width: 10, height: 10, rx: 2 });
              const shown = svg("svg", { "aria-hidden": "true" }, swatch);
              return el("li", {}, shown, el("span", {}, line.name), this.values[place]);
            }));
          }

          // The values of the chosen moment; without one, the sums of the hour or the last durations.
          read() {
            const last = history.points.length - 1, place = cursor ?? last;
            const texts = this.lines.map(line => {
              if (cursor !== null) return this.text(place, line.values[place]);
              if (!this.isDuration) return count.format(line.values.reduce((sum, value) => sum + value, 0));
              return duration(line.values.findLast(value => value !== null));
            });
            texts.forEach((text, n) => say(this.values[n], text));
            const time = place < 0 ? null : at(seconds, history.points[place].at);
            say(this.moment, cursor === null ? (this.isDuration ? "latest" : "sums of the hour") : `until ${time}`);
            const told = this.lines.map((line, n) => `${line.name} ${texts[n]}`).join(", ") || this.empty;
            const aria = { "aria-valuemin": 0, "aria-valuemax": Math.max(0, last), "aria-valuenow": Math.max(0, place),
              "aria-valuetext": cursor === null ? `${this.moment.textContent}: ${told}` : `${time}: ${told}` };
            for (const [name, value] of Object.entries(aria)) this.plot.setAttribute(name, value);
            this.line.setAttribute("visibility", cursor === null ? "hidden" : "visible");
            if (cursor === null) return;
            const x = Math.max(LEFT, this.x(history.points[place].at - history.interval / 2));
            this.line.setAttribute("x1", x);
            this.line.setAttribute("x2", x);
          }
        }

        function choose(index) {
          cursor = index;
          for (const plot of all) plot.read();
        }

        // The five reasons that came most often, and all others together.
        function byReason(points) {
          const sums = new Map();
          for (const point of points) {
            for (const [code, n] of Object.entries(point.reasons)) sums.set(code, (sums.get(code) ?? 0) + n);
          }
          const codes = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([code]) => code);
          const values = code => points.map(point => point.reasons[code] ?? 0);
          const lines = codes.slice(0, 5).map(code => ({ name: code, values: values(code) })), rest = codes.slice(5);
          if (rest.length) {
            const others = point => rest.reduce((sum, code) => sum + (point.reasons[code] ?? 0), 0);
            lines.push({ name: `${rest.length} others`, values: points.map(others) });
          }
          return lines;
        }

        const under = (...keys) => points => keys.map(key => ({ name: key, values: points.map(point => point[key]) }));
        new Plot("Requests", "in each 10 s", "No request came in the last hour.", false, under("requests"));
        new Plot("Challenges", "in each 10 s", "No challenge came in the last hour.", false, under("challenges"));
        new Plot("Latency", "from request to end, log scale", "No request ended in the last hour.", true,
          under("p50", "p90", "p99"));
        new Plot("Failures", "by reason, in each 10 s", "Nothing failed in the last hour.", false, byReason);
        """#
}
