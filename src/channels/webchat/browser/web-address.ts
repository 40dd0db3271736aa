/** Only addresses of the web become links. */
export const webAddress = (text: string | undefined): string | undefined =>
  text && /^https?:\/\/\S+$/i.test(text) && URL.canParse?.(text) !== false ? text : undefined;
