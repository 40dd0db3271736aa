/** A page of the shop, with the chat's button marked. The classes are the account page's colours. */
export const chatOnPage = `<svg viewBox="0 0 340 150" aria-hidden="true">
<rect class="paper line" x="2" y="2" width="336" height="146" rx="10"/>
<path class="line" d="M2 26h336" fill="none"/>
<circle class="soft" cx="16" cy="14" r="4"/><circle class="soft" cx="30" cy="14" r="4"/><circle class="soft" cx="44" cy="14" r="4"/>
<rect class="soft" x="22" y="44" width="90" height="62" rx="6"/><rect class="soft" x="128" y="44" width="90" height="62" rx="6"/>
<path class="line" d="M22 120h90M128 120h90M22 132h60M128 132h60" fill="none"/>
<circle class="mark" cx="302" cy="112" r="22"/><path class="line" d="M292 105h20v12h-12l-5 5v-5h-3z" fill="none"/>
</svg>`;
