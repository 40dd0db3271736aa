/** All texts of the pages, in English. Other languages have the same shape. */
export const en = {
  language: "en" as const,
  connect: {
    title: "Connect your account",
    lead: (module: string) => `${module} brings your customers' messages into your CRM, and your answers back to them.`,
    crmUrl: "Address of your CRM account",
    crmUrlHint: "For example https://your-shop.retailcrm.ru",
    apiKey: "API key",
    apiKeyHint:
      "In the CRM: Settings → Integration → API keys. The key needs the rights integration_read and integration_write.",
    submit: "Connect",
    steps: "What happens next",
    step: [
      "We check the key, its rights and the version of your CRM.",
      "The module is registered in your account.",
      "You add the messengers your customers use.",
    ],
  },
  faults: {
    "address-form": () =>
      "This does not look like the address of a CRM account. It should look like https://your-shop.retailcrm.ru",
    "address-host": () => "This module does not serve accounts at this address. Please check the address for typos.",
    "key-missing": () => "Please enter the API key exactly as your CRM shows it.",
    "not-a-crm": () => "There is a site at this address, but it is not a CRM. Please check the address.",
    unreachable: () =>
      "We could not reach your CRM at this address. Please check the address and try again in a few minutes.",
    blocked: () =>
      "We could not reach your CRM at this address. Please check the address and try again in a few minutes.",
    "wrong-key": () => "Your CRM does not know this API key. Please copy it again from the CRM's settings.",
    "no-account": () => "There is no CRM account at this address. Please check the address.",
    "no-access": () =>
      "Your CRM refused this API key. Please check in the CRM that the key is active and has the required rights.",
    rights: (missing: string) =>
      `The API key lacks these rights: ${missing}. Give them to the key in the CRM's settings and try again.`,
    version: () => "Your CRM does not offer version 5 of its API, which this module needs.",
    "gateway-off": () =>
      "Chats are switched off in your CRM account, so no messenger can be connected. Switch on the messaging gateway in the CRM's settings and try again.",
    unpaid: () => "The balance of your CRM account is too low for this module. Please top it up and try again.",
    busy: () => "Your CRM is busy at the moment. Please try again in a minute.",
    "too-many": () =>
      "Too many API keys are being tried at the moment, by you or by somebody else. Please try again in a few seconds.",
    refused: (detail: string) => `Your CRM refused the connection${detail ? `: ${detail}` : "."}`,
  } as Record<string, (detail: string) => string>,
  account: {
    title: "Your messengers",
    crm: "CRM account",
    key: (end: string) => `API key ending in ${end}`,
    reconnect: "Change key",
    leave: "Sign out",
    state: {
      working: "Working",
      off: "Switched off in the CRM",
      frozen: "Frozen by the CRM",
    },
    stateHint: {
      working: "",
      off: "Messages from customers are stored and will be delivered when you switch the module on again in the CRM.",
      frozen:
        "Messages from customers are stored and will be delivered when your CRM lifts the freeze, for example after a payment.",
    },
    trouble: (text: string) =>
      `The connection to your CRM has a problem: ${text}. We store every message and keep trying; connecting again with a new key may help.`,
    none: "No messenger is connected yet. Add the first one below.",
    add: (title: string) => `Add: ${title}`,
    addButton: "Add",
    edit: "Settings",
    save: "Save",
    remove: "Remove",
    removeAsk: "Removing stops this messenger immediately. Messages that are still waiting will not be delivered.",
    removeConfirm: "Remove this messenger",
    resume: "Try again",
    stopped: (text: string) => `Stopped: ${text}`,
    troubled: (text: string) => `There is a problem: ${text}`,
    name: "Name",
    nameHint: "Agents see it in the CRM.",
    secretHint: "Stored but never shown. Leave this field empty to keep the current value.",
    unsure: {
      label: "When it is not known whether a message arrived",
      hint: "A messenger may accept a message without confirming it, for example when the connection breaks.",
      choices: {
        resend: "Send it again (it may arrive twice)",
        hold: "Hold it and let me decide",
      },
    },
    counts: {
      waiting: "on their way",
      done: "delivered",
      dead: "not delivered",
      held: "waiting for you",
    },
    hole: (events: number) =>
      events > 0
        ? `Our records do not add up. Accepted but unaccounted for: ${events}. The operator of this module has been alerted.`
        : `Our records do not add up. Ended but never accepted: ${-events}. The operator of this module has been alerted.`,
    unreadable:
      "The stored settings of this messenger can no longer be read, so it cannot work. Remove it and add it again; its messages stay in the CRM.",
    ended: "Messages that were not delivered",
    endedHint: "Nothing here was lost. Sending again puts a message at the end of its chat.",
    when: "When",
    where: "Messenger",
    way: "Direction",
    why: "Reason",
    decide: { again: "Send again", arrived: "It arrived", drop: "Discard" },
    ways: { inbound: "to the CRM", outbound: "to the customer", ack: "report to the CRM" } as Record<string, string>,
    held: "It may have been delivered: the messenger did not confirm it. Check the chat, then decide.",
    gone: "(removed)",
    /** The gateway's error codes. */
    codes: {
      general: "It could not be delivered.",
      customer_not_exists: "The customer can no longer be reached.",
      reply_timed_out: "The messenger's time limit for replies has passed.",
      spam_suspicion: "The messenger flagged it as spam.",
      access_restricted: "The messenger does not allow it.",
    } as Record<string, string>,
  },
  entry: {
    title: "Which account?",
    open: "Open now:",
    other: "Requested:",
    hint: "If you just opened this module in the CRM of the requested account, continue to it. If not, stay where you are: another site may have sent you here.",
    stay: (account: string) => `Stay with ${account}`,
    enter: (account: string) => `Open ${account}`,
  },
  channelFaults: {
    kind: () => "This messenger is not available.",
    name: () => "The name may have at most 100 characters.",
    gone: () => "This messenger is no longer connected.",
    taken: () =>
      "This login is already connected to this server, by this account or another one. Remove it there first, or create another login in the messenger.",
    "too-many": () => "This account has reached its maximum number of messengers. Please remove one first.",
    unfit: () => "The stored settings no longer fit this version of the module. Please save them again.",
    messenger: (detail: string) => `The messenger refused the connection: ${detail}`,
    "no-messenger": (detail: string) =>
      `The messenger could not be connected: ${detail}. Please try again in a few minutes.`,
    gateway: (detail: string) => `Your CRM's messaging gateway did not accept the channel: ${detail}`,
  } as Record<string, (detail: string) => string>,
  settingFaults: {
    missing: () => "Please fill in this field.",
    "too-long": (limit: string) => `Too long: at most ${limit} characters.`,
    "too-short": (limit: string) => `Too short: at least ${limit} characters.`,
    "too-many": (limit: string) => `Too many lines: at most ${limit}.`,
    "too-few": (limit: string) => `Too few lines: at least ${limit}.`,
    "too-high": (limit: string) => `Too high: at most ${limit}.`,
    "too-low": (limit: string) => `Too low: at least ${limit}.`,
    form: () => "This value does not have the expected format.",
  } as Record<string, (limit: string) => string>,
  preview: {
    title: "What will the customer get?",
    hint: "Try a message: see how it is split for the messenger and what is lost. Nothing is sent.",
    text: "Text",
    files: "Files",
    kind: "Kind",
    kinds: { image: "Pictures", file: "Files", audio: "Voice or music" } as Record<string, string>,
    count: "How many",
    size: "Size of each, MB",
    buttons: "Quick replies, one per line",
    submit: "Show",
    steps: (count: number) => (count === 1 ? "One message:" : `${count} messages:`),
    step: { text: "Text", image: "Pictures", file: "Files", audio: "Voice or music" } as Record<string, string>,
    losses: "Different from your message:",
    whole: "Nothing is lost.",
  },
  done: {
    connected: "Your account is connected.",
    reconnected: "Your account is connected again; your messengers are unchanged.",
    added: "The messenger is connected.",
    changed: "The settings are saved.",
    removed: "The messenger is removed.",
    resumed: "The messenger works again.",
    again: "The message is on its way again.",
    arrived: "The message counts as delivered.",
    drop: "The message was discarded.",
  },
  noVisit: {
    title: "Please open this page from your CRM",
    text: "Open this module in the list of integrations of your CRM account, or connect your account here first.",
  },
  foreign: {
    title: "This form is out of date",
    text: "It was opened too long ago or on another site. Please reload the page and try again.",
  },
  notFound: { title: "Not found", text: "There is nothing here, or it no longer exists." },
  tooMany: { title: "Too many attempts", text: "Please wait a minute and try again." },
  tooLarge: { title: "Too much text", text: "The form was larger than this server accepts." },
  broken: {
    title: "Something went wrong",
    text: "The error is on our side and has been logged. Please try again in a minute.",
  },
  toStart: "Go to the start page",
};
