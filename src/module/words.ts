import { inLanguages } from "../domain/catalog.ts";

/** What the module writes into the CRM's notifications. */
export const notices = inLanguages(
  {
    broken: "{module}: {channel} – {trouble}. See {page}",
    well: "{module}: {channel} works again.",
  },
  {
    es: { broken: "{module}: {channel} – {trouble}. Vea {page}", well: "{module}: {channel} vuelve a funcionar." },
    ru: { broken: "{module}: {channel} – {trouble}. Подробности: {page}", well: "{module}: {channel} снова работает." },
  },
);
