/** Style of a report: light and dark as the reader has it, and on paper. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--ink:#16202b;--paper:#fff;--soft:#5a6875;--line:#d5dce3;--band:#9fc3d9;--bad:#b3261e;--good:#1f7a4d;--warn:#9a6700}
@media (prefers-color-scheme:dark){:root{--ink:#e5ebf1;--paper:#10171e;--soft:#9aa8b5;--line:#2b3742;--band:#2f5d78;--bad:#ff8a80;--good:#6fd3a0;--warn:#e3b341}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.75rem;line-height:1.25;overflow-wrap:anywhere}h2{margin-top:2.5rem}h3{margin:0;font-size:1rem}
code{font:.85em ui-monospace,monospace;overflow-wrap:anywhere}a{color:inherit}.small{color:var(--soft);font-size:.875rem}
.card{border:1px solid var(--line);border-left:4px solid var(--soft);border-radius:4px;padding:.75rem 1rem;margin:.75rem 0}.card p{margin:.5rem 0 0}
.critical,.unsafe_resume,.bad_replay{border-left-color:var(--bad)}.error,.warning,.over_refusal,.wrong_status{border-left-color:var(--warn)}.correct{border-left-color:var(--good)}
li.applies{font-weight:600}figure{margin:1rem 0}svg{width:100%;height:auto;border:1px solid var(--line)}.band{fill:var(--band)}
circle{fill:var(--soft)}circle.unsafe_resume,circle.bad_replay{fill:var(--bad)}circle.correct{fill:var(--good)}circle.over_refusal,circle.wrong_status{fill:var(--warn)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.875rem}th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid var(--line)}
tr.proves td:first-child{box-shadow:inset 3px 0 var(--bad)}tr:target td{background:var(--line)}
@media print{details{display:block}details>*{display:block}}
`.trim();
