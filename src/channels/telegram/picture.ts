/** BotFather's answer to `/newbot`, with the token marked. The classes are the account page's colours. */
export const botFatherAnswer = `<svg viewBox="0 0 340 112" aria-hidden="true">
<circle class="mark" cx="20" cy="88" r="14"/><path class="line" d="M14 88l4 4 8-9" fill="none"/>
<path class="paper line" d="M52 6h270a12 12 0 0 1 12 12v72a12 12 0 0 1-12 12H42c8-3 10-7 10-12z"/>
<text x="66" y="32">Use this token to access the HTTP API:</text>
<rect class="mark" x="62" y="46" width="264" height="26" rx="6"/>
<text class="code" x="68" y="63">110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALD</text>
<text x="66" y="90">Keep your token secure …</text>
</svg>`;
