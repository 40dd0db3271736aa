const COUNTED = /^\(\d+\) /;

/** The page's own title, without our count. */
export const pageTitle = (): string => document.title.replace(COUNTED, "");

/** Puts the number of unread messages before the page's title, also after the page has changed it. */
export function createTitle(): (unread: number) => void {
  let count = 0;
  const draw = () => {
    const title = count > 0 ? `(${count}) ${pageTitle()}` : pageTitle();
    if (document.title !== title) document.title = title;
  };
  const changes = new MutationObserver(draw);
  return (unread) => {
    if (unread === count) return;
    count = unread;
    changes.disconnect();
    if (count > 0) changes.observe(document.head, { subtree: true, childList: true, characterData: true });
    draw();
  };
}
