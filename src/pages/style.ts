/** The style sheet of every page. The build prepends its base, modern-normalize. */
export const styleSheet = new URL("./style.css", import.meta.url);
