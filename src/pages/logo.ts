/** The built-in logo: a gangway between two shores. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Gangway">
<rect width="64" height="64" rx="14" fill="#0f5f6b"/>
<path d="M8 44h14l20-22h14" fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/>
<path d="M25 45v-5M32 38v-6M39 30v-5" stroke="#8fe3d0" stroke-width="4" stroke-linecap="round"/>
</svg>
`;
