/** The style sheet of every page, a file of its own: the build puts its base, modern-normalize, before it. */
export const styleSheet = new URL("./style.css", import.meta.url);
