package approval

// style is for phones first; nothing is loaded, so the fonts are the system's.
// Colors keep a contrast of 4.5 to 1 at least (WCAG 2.2, 1.4.3).
const style = `
:root{--back:#f4f5f7;--card:#fff;--text:#1c2128;--soft:#57606a;--line:#d4d9df;--field:#fff;--edge:#7d8590;
--yes:#1a7f37;--yes-over:#146c2e;--no:#b3261e;--no-over:#fbeae9;--no-fill:#b3261e;--no-fill-over:#8f1d17;--focus:#0969da;--quote:#f4f5f7}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--card:#171c23;--text:#e6edf3;--soft:#9ea7b1;--line:#333a43;--field:#0d1117;--edge:#7d8590;
--yes:#22803a;--yes-over:#2a6f3c;--no:#ff8a80;--no-over:#35201f;--no-fill:#b3261e;--no-fill-over:#c5372e;--focus:#58a6ff;--quote:#0d1117}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;padding:1rem;display:flex;flex-direction:column;align-items:center;background:var(--back);color:var(--text);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{width:100%;max-width:36rem;margin:auto 0 0;padding:1.5rem 1.25rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;
box-shadow:0 1px 2px rgb(0 0 0/.04),0 8px 24px rgb(0 0 0/.06)}
footer{margin:1rem 0 auto;color:var(--soft);font-size:.8125rem}
h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.25;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:1.75rem 0 .5rem;font-size:.8125rem;font-weight:600;color:var(--soft);text-transform:uppercase;letter-spacing:.05em}
p{margin:0 0 1rem}
.question{font-size:1.125rem;white-space:pre-wrap;overflow-wrap:anywhere}
.until,.hint{color:var(--soft);font-size:.9375rem}
.until strong{color:var(--text)}
label{display:block;margin:0 0 .375rem;font-weight:600}
small{font-weight:400;font-size:.875rem}
label small{color:var(--soft)}
textarea{display:block;width:100%;padding:.625rem .75rem;border:1px solid var(--edge);border-radius:.625rem;background:var(--field);color:inherit;font:inherit;resize:vertical}
textarea+.hint{margin:.375rem 0 1.25rem;font-size:.875rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem}
button{flex:1 1 10rem;min-width:0;min-height:3.25rem;padding:.625rem 1rem;border:1px solid var(--edge);border-radius:.75rem;background:transparent;color:inherit;
font:inherit;font-weight:600;overflow-wrap:anywhere;cursor:pointer}
button small{display:block;line-height:1.2}
button:hover{background:var(--back)}
.yes>.sign,button.yes{background:var(--yes);border-color:var(--yes);color:#fff}
button.yes:hover{background:var(--yes-over)}
button.no{border-color:var(--no);color:var(--no)}
button.no:hover{background:var(--no-over)}
button.no:first-child{background:var(--no-fill);border-color:var(--no-fill);color:#fff}
button.no:first-child:hover{background:var(--no-fill-over)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
dl{margin:0;font-size:.9375rem}
dl div{display:flex;gap:.75rem;padding:.5rem 0;border-top:1px solid var(--line)}
dt{flex:0 0 4.75rem;color:var(--soft)}
dd{margin:0;min-width:0;overflow-wrap:anywhere}
.decided{text-align:center;padding:2.25rem 1.25rem}
.sign{width:4rem;height:4rem;margin:0 auto 1.25rem;border:2px solid var(--no);border-radius:50%;color:var(--no);font-size:1.75rem;line-height:3.75rem}
.late{font-weight:600}
.decided .hint{margin:1.5rem 0 0}
blockquote{margin:0 0 1rem;padding:.75rem 1rem;border-radius:.625rem;background:var(--quote);text-align:start;white-space:pre-wrap;overflow-wrap:anywhere}
@media(min-width:40rem){body{padding:2rem}main{padding:2rem}h1{font-size:1.5rem}}
@media(prefers-contrast:more){:root{--line:var(--edge);--soft:var(--text)}}
`
