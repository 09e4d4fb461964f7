/// Functions of the PAC specification that libpacparser (1.3.6) has wrong: `weekdayRange` and `dateRange` that begin late in a
/// week or year and end early in the next, single days of a year, and `shExpMatch` with characters of regular expressions.
enum PACFunctions {
    /// Their definitions, which a PAC file's own may replace.
    static let script = #"""
        function shExpMatch(text, pattern) {
            pattern = pattern.replace(/[\\^$.+|(){}\[\]\/]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
            return new RegExp('^' + pattern + '$').test(text);
        }
        function weekdayRange(first, last, zone) {
            var days = { SUN: 0, MON: 1, TUE: 2, WED: 3, THU: 4, FRI: 5, SAT: 6 };
            var isGMT = last == 'GMT' || zone == 'GMT', now = new Date();
            var day = isGMT ? now.getUTCDay() : now.getDay();
            var start = days[first], end = last in days ? days[last] : start;
            return start <= end ? start <= day && day <= end : day >= start || day <= end;
        }
        function dateRange() {
            var months = { JAN: 0, FEB: 1, MAR: 2, APR: 3, MAY: 4, JUN: 5,
                JUL: 6, AUG: 7, SEP: 8, OCT: 9, NOV: 10, DEC: 11 };
            var list = [], isGMT = false, isPoint = true, seen = {}, now = new Date();
            function kind(value) { return value in months ? 1 : value > 31 ? 0 : 2; }
            for (var i = 0; i < arguments.length; i++) {
                if (arguments[i] == 'GMT') { isGMT = true; continue; }
                list.push(arguments[i]);
                if (seen[kind(arguments[i])]) isPoint = false;
                seen[kind(arguments[i])] = true;
            }
            function parts(values) {
                var found = [0, 0, 0];
                for (var i = 0; i < values.length; i++)
                    found[kind(values[i])] = values[i] in months ? months[values[i]] : values[i];
                return found;
            }
            function place(parts) {
                return (seen[0] ? parts[0] * 400 : 0) + (seen[1] ? parts[1] * 32 : 0) + (seen[2] ? parts[2] : 0);
            }
            if (list.length < 1) return false;
            var here = place(isGMT ? [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
                : [now.getFullYear(), now.getMonth(), now.getDate()]);
            if (isPoint) return here == place(parts(list));
            var start = place(parts(list.slice(0, list.length / 2))), end = place(parts(list.slice(list.length / 2)));
            return start <= end ? start <= here && here <= end : !seen[0] && (here >= start || here <= end);
        }
        """#
}
