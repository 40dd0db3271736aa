// SVG paths in a 24 × 24 box.
/** Those of the launcher. */
export const chatIcon = "M21 11.5a8.4 8.4 0 0 1-12 7.6L3 21l1.9-6A8.4 8.4 0 1 1 21 11.5Z";
export const downIcon = "M6 9l6 6 6-6";

export const icons = {
  chat: chatIcon,
  down: downIcon,
  up: "M6 15l6-6 6 6",
  back: "M15 5l-7 7 7 7",
  forth: "M9 5l7 7-7 7",
  more: "M12 5.5v.1M12 12v.1M12 18.5v.1",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM16.2 16.2 20 20",
  download: "M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14",
  sound: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5ZM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11",
  trash: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10 11v5M14 11v5",
  mic: "M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3ZM6 11.5a6 6 0 0 0 12 0M12 17.5V21",

  close: "M6 6l12 12M18 6 6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  clip: "M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L14.5 7",
  smile: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM8.5 14.5c1 1.3 2.1 1.9 3.5 1.9s2.5-.6 3.5-1.9M9 9.6v.1M15 9.6v.1",
  file: "M14 3H7a1 1 0 0 0-1 1v16a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V7l-4-4Zm0 0v4h4",
  quote: "M9 8 4.5 12.5 9 17M5 12.5h8a6 6 0 0 1 6 6V19",
  link: "M14 5h5v5M19 5l-8 8M17 14v4a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1h4",
  sending: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM12 8v4.5l3 1.5",
  sent: "M5 12.5l4.5 4.5L19 7.5",
  delivered: "M2 12.5 6.5 17 16 7.5M11.5 16.5l.5.5 9.5-9.5",
  read: "M2 12.5 6.5 17 16 7.5M11.5 16.5l.5.5 9.5-9.5",
  refused: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM12 8v5M12 16v.1",
};
