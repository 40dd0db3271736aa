/** The text if it is an http(s) URL: nothing else may become a link. */
export const webAddress = (text: string | undefined): string | undefined =>
  text && /^https?:\/\/\S+$/i.test(text) && URL.canParse?.(text) !== false ? text : undefined;
