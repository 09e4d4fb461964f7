extension StatusPage {
    /// The page's look, in light and in dark, from 320 pixels on; lines differ in lightness as well as in hue.
    static let style = #"""
        :root {
          color-scheme: light dark;
          --ground: #f4f5f7; --card: #ffffff; --ink: #1a1d23; --soft: #565d69; --rule: #d9dde3; --accent: #0b57a4;
          --good: #12683f; --good-ground: #e0f3e8; --warn: #7a4a00; --warn-ground: #fff1d6;
          --bad: #a3161f; --bad-ground: #fde7e8; --idle-ground: #e9ecf0;
          --c0: #0067a5; --c1: #b85300; --c2: #00735a; --c3: #9b3f7d; --c4: #6b6200; --c5: #5b6270;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #14161a; --card: #1d2026; --ink: #e9ebef; --soft: #a6adb9; --rule: #343943; --accent: #8ec5ff;
            --good: #7fdca8; --good-ground: #15362a; --warn: #ffcb75; --warn-ground: #3b2c0d;
            --bad: #ff9da1; --bad-ground: #451c20; --idle-ground: #2a2e36;
            --c0: #5cb3f0; --c1: #ff9d4d; --c2: #3ccfa4; --c3: #e690c8; --c4: #d9cf57; --c5: #9aa2b0;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
          font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
        }
        header, main, footer { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; padding-top: 20px; }
        h1 { font-size: 22px; line-height: 1.2; margin: 0; display: flex; align-items: center; gap: 10px; }
        h1 span { color: var(--soft); font-size: 15px; font-weight: 400; }
        h2 { font-size: 17px; line-height: 1.3; margin: 0 0 12px; }
        h3 { font-size: 15px; line-height: 1.3; margin: 0; }
        p { margin: 0; }
        a { color: var(--accent); }
        code, pre, .mono { font-family: ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: 13px; }
        pre { margin: 8px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
        main:focus { outline: none; }
        .skip { position: absolute; left: -999px; }
        .skip:focus { left: 12px; top: 8px; background: var(--card); padding: 6px 10px; }
        .mark { width: 28px; height: 28px; }
        .mark rect { fill: #0b63b0; }
        .mark path { fill: none; stroke: #fff; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
        #freshness { color: var(--soft); margin-left: auto; display: flex; align-items: center; gap: 8px; }
        #freshness::before {
          content: ""; flex: none; width: 9px; height: 9px; border-radius: 50%; background: var(--soft);
        }
        #freshness.live::before { background: var(--good); animation: breathe 2s ease-in-out infinite; }
        #freshness.lost { color: var(--bad); font-weight: 600; }
        #freshness.lost::before { background: var(--bad); }
        @keyframes breathe { 50% { opacity: .35; } }
        #facts {
          flex-basis: 100%; display: flex; flex-wrap: wrap; gap: 2px 24px; margin: 4px 0 0; color: var(--soft);
        }
        #facts div { display: flex; gap: 6px; min-width: 0; }
        #facts dt { white-space: nowrap; }
        #facts dt::after { content: ":"; }
        #facts dd { margin: 0; color: var(--ink); overflow-wrap: anywhere; min-width: 0; }
        .pill, .badge {
          display: inline-block; border-radius: 99px; padding: 1px 10px; font-weight: 600;
          background: var(--idle-ground); color: var(--ink); font-size: 13px;
        }
        .good { background: var(--good-ground); color: var(--good); }
        .warn { background: var(--warn-ground); color: var(--warn); }
        .bad { background: var(--bad-ground); color: var(--bad); }
        .alert { padding: 12px 16px; border-radius: 10px; margin-top: 16px; border-left: 5px solid currentcolor; }
        .alert strong, .alert pre { color: inherit; }
        .alert p + p { margin-top: 4px; }
        section {
          margin: 16px 0; padding: 16px 18px;
          background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
        }
        #withheld { border: 2px solid var(--bad); }
        #withheld h2 { color: var(--bad); margin-bottom: 4px; }
        .lead, .hint { color: var(--soft); max-width: 75ch; }
        .hint { font-size: 13px; margin-top: -8px; }
        .withheld {
          display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 12px;
          margin-top: 12px;
        }
        .withheld > div { background: var(--bad-ground); border-radius: 10px; padding: 12px 14px; min-width: 0; }
        .withheld h3 { overflow-wrap: anywhere; }
        .withheld ul { margin: 6px 0 10px; padding-left: 18px; }
        .withheld li { overflow-wrap: anywhere; }
        .withheld li small { display: block; color: var(--soft); font-size: 13px; }
        .command { display: flex; align-items: center; flex-wrap: wrap; gap: 8px; min-width: 0; }
        .command code {
          min-width: 0; padding: 4px 8px; background: var(--card); border-radius: 6px; overflow-wrap: anywhere;
        }
        button {
          flex: none; font: inherit; font-size: 13px; color: var(--accent); background: var(--card);
          border: 1px solid var(--rule); border-radius: 6px; padding: 2px 10px; min-height: 28px; cursor: pointer;
        }
        button:hover { border-color: var(--accent); }
        #totals { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 16px 20px; margin: 0; }
        #totals div { display: flex; flex-direction: column; min-width: 0; }
        #totals dt { order: 1; color: var(--soft); font-size: 13px; }
        #totals dd { margin: 0; font-size: 22px; line-height: 1.25; font-weight: 600; }
        #totals dd.note { font-size: 13px; font-weight: 400; color: var(--soft); order: 2; }
        #plots {
          display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 22px 28px;
          margin-top: 14px;
        }
        figure { margin: 0; min-width: 0; }
        figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 6px; }
        figcaption h3 { margin-right: 4px; }
        figcaption span:not(:last-child)::after { content: " ·"; }
        figcaption span { color: var(--soft); font-size: 13px; }
        .legend {
          display: flex; flex-wrap: wrap; gap: 0 16px; margin: 2px 0 4px; padding: 0; list-style: none; font-size: 13px;
          min-height: 20px;
        }
        .legend li { display: flex; align-items: center; gap: 6px; min-width: 0; overflow-wrap: anywhere; }
        .legend svg { flex: none; width: 20px; height: 10px; }
        .legend b { font-weight: 600; }
        .plot { display: block; width: 100%; height: 170px; touch-action: pan-y; cursor: crosshair; }
        .plot text { fill: var(--soft); font-size: 12px; }
        .plot .grid { stroke: var(--rule); stroke-width: 1; shape-rendering: crispedges; }
        .plot .base { stroke: var(--soft); stroke-width: 1; shape-rendering: crispedges; }
        .plot .cursor { stroke: var(--ink); stroke-width: 1; }
        .plot .born { stroke: var(--soft); stroke-dasharray: 2 4; }
        .plot .empty { font-size: 14px; }
        .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
        .s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); } .s2 { stroke: var(--c2); }
        .s3 { stroke: var(--c3); } .s4 { stroke: var(--c4); } .s5 { stroke: var(--c5); }
        .f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); }
        .f3 { fill: var(--c3); } .f4 { fill: var(--c4); } .f5 { fill: var(--c5); }
        details { margin-top: 14px; }
        summary { cursor: pointer; color: var(--accent); width: fit-content; }
        .scroll {
          overflow: auto; max-height: 420px; margin-top: 8px; border: 1px solid var(--rule); border-radius: 8px;
        }
        .scroll th { position: sticky; top: 0; background: var(--card); }
        .scroll td, .scroll th { white-space: nowrap; }
        table { border-collapse: collapse; width: 100%; }
        th { text-align: left; font-size: 13px; font-weight: 600; color: var(--soft); }
        th, td { padding: 7px 14px 7px 0; vertical-align: top; border-bottom: 1px solid var(--rule); }
        .scroll th, .scroll td { padding-left: 10px; }
        tbody tr:last-child > * { border-bottom: 0; }
        td { overflow-wrap: break-word; }
        td.loose { overflow-wrap: anywhere; min-width: 15em; }
        td.short { white-space: nowrap; }
        .pins code { font-size: 12px; line-height: 28px; }
        td.number, th.number { text-align: right; }
        .empty-note { color: var(--soft); max-width: 75ch; }
        .none { color: var(--soft); font-style: italic; }
        .pins { margin: 0; padding: 0; list-style: none; }
        .pins li { display: flex; align-items: flex-start; gap: 8px; margin-bottom: 4px; }
        .pins code { overflow-wrap: anywhere; min-width: 0; }
        footer { color: var(--soft); font-size: 13px; padding-bottom: 28px; }
        .unseen {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
        }
        @media (max-width: 720px) {
          header, main, footer { padding-left: 12px; padding-right: 12px; }
          section { padding: 14px; }
          #freshness { margin-left: 0; flex-basis: 100%; }
          #totals { grid-template-columns: repeat(2, minmax(0, 1fr)); }
          .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .cards, .cards tbody, .cards tr { display: block; }
          .cards tr { padding: 8px 0; border-bottom: 1px solid var(--rule); }
          .cards tr:last-child { border-bottom: 0; }
          .cards td {
            display: grid; grid-template-columns: 104px minmax(0, 1fr); gap: 10px; border: 0; padding: 2px 0;
            overflow-wrap: anywhere;
          }
          .cards td.number { text-align: left; }
          .cards td.short { white-space: normal; }
          .cards td.loose { min-width: 0; }
          .cards td > .badge { justify-self: start; }
          .cards td:first-child { display: block; font-weight: 600; }
          .cards td:first-child::before { content: none; }
          .pins code { line-height: inherit; }
          .cards td::before { content: attr(data-label); color: var(--soft); font-size: 13px; }
        }
        @media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
        @media (forced-colors: active) { .pill, .badge, .alert { border: 1px solid; } }
        """#
}
