// Writes a sheet of features for each messenger and language: for a marketplace's card. They are what the proof has shown.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Features, MESSAGE_KINDS, type MessageKind, type Way } from "gangway-messenger/features";
import { type InLanguages, LANGUAGES, type Language, numberFormat } from "gangway-messenger/language";
import type { ChannelAdapter } from "gangway-messenger/port";
import { adapters } from "#product/messengers";
import { initialFeatures, variantFeatures } from "#product/module/channels/abilities";
import { ROOT } from "./root.ts";

const ACTIONS = ["creating", "quoting", "editing", "deleting", "reaction"] as const;
type Action = (typeof ACTIONS)[number];

interface Words {
  kinds: Record<MessageKind, string>;
  actions: Record<Action, string>;
  ways: Record<Way, string>;
  characters(count: string): string;
  file(size: string): string;
  files(count: string, size: string): string;
  megabyte: string;
  suggestions: Record<"text" | "phone" | "email" | "url", string>;
  buttons: string;
  delivered: Record<Exclude<Way, "none">, string>;
  read: Record<Exclude<Way, "none">, string>;
  firstContact: Record<"no" | "template" | "text", string>;
  lateReply: string;
  templates: Record<"created" | "used", string>;
  proven: string;
}

const WORDS: InLanguages<Words> = {
  en: {
    kinds: {
      ...{ text: "Text", image: "Pictures", file: "Files", audio: "Voice and audio" },
      ...{ product: "Product cards", order: "Order cards" },
    },
    actions: { creating: "Write", quoting: "Quote", editing: "Edit", deleting: "Delete", reaction: "React" },
    ways: { inbound: "customers", outbound: "agents", both: "both", none: "–" },
    characters: (count) => `up to ${count} characters`,
    file: (size) => `up to ${size}`,
    files: (count, size) => `up to ${count} at once, ${size} each`,
    megabyte: "MB",
    suggestions: {
      text: "quick replies",
      phone: "request for the phone number",
      email: "request for the email",
      url: "links",
    },
    buttons: "Buttons under an agent's message",
    delivered: {
      inbound: "Agents see that a message has reached the customer.",
      outbound: "Customers see that their message has reached the CRM.",
      both: "Customers and agents see that a message has arrived.",
    },
    read: {
      inbound: "Agents see that the customer has read a message.",
      outbound: "Customers see that an agent has read their message.",
      both: "Customers and agents see that a message was read.",
    },
    firstContact: {
      no: "The customer writes first.",
      template: "Agents may write first with a template.",
      text: "Agents may write first.",
    },
    lateReply: "After the messenger's time for answers, agents write with a template.",
    templates: {
      created: "Templates: created, reviewed and sent from the CRM.",
      used: "Templates: created at the messenger, sent from the CRM.",
    },
    proven: "What is said of actions, buttons and marks is shown by tests; sizes and rules are the messenger's.",
  },
  es: {
    kinds: {
      ...{ text: "Texto", image: "Imágenes", file: "Archivos", audio: "Voz y audio" },
      ...{ product: "Fichas de producto", order: "Fichas de pedido" },
    },
    actions: { creating: "Escribir", quoting: "Citar", editing: "Editar", deleting: "Borrar", reaction: "Reaccionar" },
    ways: { inbound: "clientes", outbound: "agentes", both: "ambos", none: "–" },
    characters: (count) => `hasta ${count} caracteres`,
    file: (size) => `hasta ${size}`,
    files: (count, size) => `hasta ${count} a la vez, ${size} cada uno`,
    megabyte: "MB",
    suggestions: {
      ...{ text: "respuestas rápidas", phone: "solicitud del teléfono" },
      ...{ email: "solicitud del correo", url: "enlaces" },
    },
    buttons: "Botones bajo el mensaje de un agente",
    delivered: {
      inbound: "Los agentes ven que un mensaje ha llegado al cliente.",
      outbound: "Los clientes ven que su mensaje ha llegado al CRM.",
      both: "Clientes y agentes ven que un mensaje ha llegado.",
    },
    read: {
      inbound: "Los agentes ven que el cliente ha leído un mensaje.",
      outbound: "Los clientes ven que un agente ha leído su mensaje.",
      both: "Clientes y agentes ven que un mensaje se ha leído.",
    },
    firstContact: {
      no: "El cliente escribe primero.",
      template: "Los agentes pueden escribir primero con una plantilla.",
      text: "Los agentes pueden escribir primero.",
    },
    lateReply: "Pasado el plazo de respuesta del servicio de mensajería, los agentes escriben con una plantilla.",
    templates: {
      created: "Plantillas: se crean, se revisan y se envían desde el CRM.",
      used: "Plantillas: se crean en el servicio de mensajería y se envían desde el CRM.",
    },
    proven:
      "Las acciones, los botones y las marcas están demostrados por pruebas; los tamaños y las reglas son del servicio de mensajería.",
  },
  ru: {
    kinds: {
      ...{ text: "Текст", image: "Картинки", file: "Файлы", audio: "Голос и аудио" },
      ...{ product: "Карточки товаров", order: "Карточки заказов" },
    },
    actions: {
      creating: "Писать",
      quoting: "Цитировать",
      editing: "Изменять",
      deleting: "Удалять",
      reaction: "Реакции",
    },
    ways: { inbound: "клиенты", outbound: "менеджеры", both: "все", none: "–" },
    characters: (count) => `до ${count} символов`,
    file: (size) => `до ${size}`,
    files: (count, size) => `до ${count} за раз, до ${size} каждый`,
    megabyte: "МБ",
    suggestions: {
      ...{ text: "быстрые ответы", phone: "запрос телефона" },
      ...{ email: "запрос почты", url: "ссылки" },
    },
    buttons: "Кнопки под сообщением менеджера",
    delivered: {
      inbound: "Менеджеры видят, что сообщение дошло до клиента.",
      outbound: "Клиенты видят, что их сообщение дошло до CRM.",
      both: "Клиенты и менеджеры видят, что сообщение дошло.",
    },
    read: {
      inbound: "Менеджеры видят, что клиент прочитал сообщение.",
      outbound: "Клиенты видят, что менеджер прочитал их сообщение.",
      both: "Клиенты и менеджеры видят, что сообщение прочитано.",
    },
    firstContact: {
      no: "Первым пишет клиент.",
      template: "Менеджер может написать первым по шаблону.",
      text: "Менеджер может написать первым.",
    },
    lateReply: "Когда время ответа в мессенджере прошло, менеджеры пишут по шаблону.",
    templates: {
      created: "Шаблоны: создаются, проверяются и отправляются из CRM.",
      used: "Шаблоны: создаются в мессенджере, отправляются из CRM.",
    },
    proven: "Действия, кнопки и отметки показаны тестами; размеры и правила задаёт мессенджер.",
  },
};

/** Some messengers count in thousands. */
const megabytes = (bytes: number) => bytes / (bytes % 1_000_000 === 0 ? 1_000_000 : 1024 ** 2);

/** What one entry of the list of messengers can do. */
function part(title: string, about: string | undefined, features: Features, language: Language): string[] {
  const words = WORDS[language];
  const number = (value: number) => numberFormat(language, { maximumFractionDigits: 1 }).format(value);
  const sizeOf = (kind: MessageKind): string => {
    if (kind === "text") return words.characters(number(features.text.maxLength));
    const limits = kind === "product" || kind === "order" ? undefined : features[kind];
    if (!limits) return "";
    const size = `${number(megabytes(limits.maxSize))} ${words.megabyte}`;
    return limits.maxCount === 1 ? words.file(size) : words.files(number(limits.maxCount), size);
  };
  const rows = MESSAGE_KINDS.flatMap((kind) => {
    const actions: Partial<Record<Action, Way>> = { ...features[kind] };
    if ((actions.creating ?? "none") === "none") return [];
    const cells = ACTIONS.map((action) => words.ways[actions[action] ?? "none"]);
    return [`| ${[words.kinds[kind], ...cells, sizeOf(kind)].join(" | ")} |`];
  });
  const { suggestions = {}, delivered, read, firstContact, afterReplyTimeout, templates } = features;
  const buttons = Object.entries(suggestions).flatMap(([kind, way]) =>
    way === "none" ? [] : words.suggestions[kind as keyof typeof suggestions],
  );
  const lines = [
    ...(buttons.length > 0 ? [`${words.buttons}: ${buttons.join(", ")}.`] : []),
    ...(delivered === "none" ? [] : [words.delivered[delivered]]),
    ...(read === "none" ? [] : [words.read[read]]),
    words.firstContact[firstContact],
    ...(afterReplyTimeout === "template" ? [words.lateReply] : []),
    ...(templates ? [templates.creation ? words.templates.created : words.templates.used] : []),
  ];
  const head = ["", ...ACTIONS.map((action) => words.actions[action]), ""];
  return [
    title,
    ...(about ? [about] : []),
    [`| ${head.join(" | ")} |`, `| ${head.map(() => "---").join(" | ")} |`, ...rows].join("\n"),
    lines.map((line) => `- ${line}`).join("\n"),
  ];
}

function sheet(adapter: ChannelAdapter, language: Language): string {
  const title = adapter.titles?.[language] ?? adapter.title;
  const variants = (adapter.variants ?? []).flatMap((variant) =>
    part(`## ${variant.title[language]}`, variant.about[language], variantFeatures(adapter, variant), language),
  );
  const plain = part(`# ${title}`, adapter.about?.[language], initialFeatures(adapter), language);
  return [...plain, ...variants, WORDS[language].proven, ""].join("\n\n");
}

/** What the files should contain, by path in the checkout. */
export const featureSheets = (): Record<string, string> =>
  Object.fromEntries(
    adapters.flatMap((adapter) =>
      LANGUAGES.map((language) => [
        `messengers/${adapter.kind}/features/${language}.md`,
        `${sheet(adapter, language).trimEnd()}\n`,
      ]),
    ),
  );

if (import.meta.main)
  for (const [path, text] of Object.entries(featureSheets())) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
