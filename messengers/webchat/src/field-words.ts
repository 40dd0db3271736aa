import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

const LANGUAGE_NAMES = { en: "English", es: "Español", ru: "Русский" };

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "visitorKey">, FieldWords>> = {
  en: {
    title: { label: "Title of the chat window", initial: "Chat with us" },
    greeting: { label: "Greeting", hint: "The first text in the window.", initial: "Hello! How can we help you?" },
    language: {
      label: "Language",
      hint: "Of product and order cards, and of the window where it does not know the visitor's language. It knows English, Spanish, Russian, Portuguese, German, French, Turkish and Arabic.",
      choices: LANGUAGE_NAMES,
      initial: "en",
    },
    accent: { label: "Colour" },
    allowedOrigins: {
      label: "Sites that may show the chat",
      hint: "One address per line, such as https://shop.example.com. Empty: any site may show it.",
    },
    logoAddress: { label: "Logo", hint: "The address of a square picture, which begins with https://." },
    colourScheme: {
      label: "Colour scheme",
      choices: { auto: "As the visitor's device", light: "Light", dark: "Dark" },
    },
    windowSide: { label: "Side of the window", choices: { right: "Right", left: "Left" } },
    offsetX: { label: "Distance from the side, pixels" },
    offsetY: { label: "Distance from the bottom, pixels" },
    launcherText: { label: "Words on the button", hint: "Empty: only a picture." },
    awayText: { label: "Message outside opening hours", hint: "Stands under the greeting while nobody is there." },
    openingHours: {
      label: "Opening hours",
      hint: "One line per span, such as mon-fri 9:00-18:00. Days: mon, tue, wed, thu, fri, sat, sun. Empty: always.",
    },
    openingZone: { label: "Time zone of the opening hours", hint: "Such as Europe/London." },
    replyMinutes: { label: "Usual time to a reply, minutes", hint: "The window names it. 0: it names none." },
    askAfterMinutes: {
      label: "Ask for an e-mail or phone after, minutes",
      hint: "If nobody has answered by then; outside opening hours, at once. It reaches the customer's card. 0: never.",
    },
    askName: { label: "Ask for the name before the first message" },
    askEmail: { label: "Ask for the e-mail before the first message" },
    askPhone: { label: "Ask for the phone before the first message" },
    consentText: { label: "Consent", hint: "A text to agree to before the first message. Empty: nothing is asked." },
    greetAfter: {
      label: "Show the greeting after, seconds",
      hint: "Beside the button, before the chat is opened. 0: never.",
    },
    greetWhom: {
      label: "Show the greeting to",
      choices: { all: "Everybody", new: "Those who have not written", returning: "Those who have written before" },
    },
    greetPages: { label: "Pages with the greeting", hint: "One path per line, such as /cart or /rope/*. Empty: all." },
    starters: { label: "What visitors may begin with", hint: "One short question per line, at most six." },
    pageTitle: {
      label: "Put the page's title before a chat's first message",
      hint: "In brackets. The page's address reaches the CRM in any case.",
    },
  },
  es: {
    title: { label: "Título de la ventana del chat", initial: "Escríbanos" },
    greeting: { label: "Saludo", hint: "El primer texto de la ventana.", initial: "¡Hola! ¿En qué podemos ayudarle?" },
    language: {
      label: "Idioma",
      hint: "El de las fichas de productos y pedidos, y el de la ventana si no conoce el idioma del visitante. Conoce español, inglés, ruso, portugués, alemán, francés, turco y árabe.",
      choices: LANGUAGE_NAMES,
      initial: "es",
    },
    accent: { label: "Color" },
    allowedOrigins: {
      label: "Sitios web que pueden mostrar el chat",
      hint: "Una dirección por línea, como https://tienda.example.com. Vacío: cualquier sitio puede mostrarlo.",
    },
    logoAddress: { label: "Logotipo", hint: "La dirección de una imagen cuadrada, que empiece por https://." },
    colourScheme: {
      label: "Esquema de colores",
      choices: { auto: "El del dispositivo del visitante", light: "Claro", dark: "Oscuro" },
    },
    windowSide: { label: "Lado de la ventana", choices: { right: "Derecha", left: "Izquierda" } },
    offsetX: { label: "Distancia al lado, píxeles" },
    offsetY: { label: "Distancia al borde inferior, píxeles" },
    launcherText: { label: "Texto del botón", hint: "Vacío: solo una imagen." },
    awayText: { label: "Mensaje fuera del horario", hint: "Aparece bajo el saludo mientras no hay nadie." },
    openingHours: {
      label: "Horario de atención",
      hint: "Una línea por tramo, como mon-fri 9:00-18:00. Días: mon, tue, wed, thu, fri, sat, sun. Vacío: siempre.",
    },
    openingZone: { label: "Zona horaria del horario", hint: "Por ejemplo, Europe/Madrid." },
    replyMinutes: {
      label: "Tiempo habitual de respuesta, minutos",
      hint: "La ventana lo indica. 0: no indica ninguno.",
    },
    askAfterMinutes: {
      label: "Pedir un correo o teléfono tras, minutos",
      hint: "Si nadie ha respondido para entonces; fuera del horario, enseguida. Llega a la ficha del cliente. 0: nunca.",
    },
    askName: { label: "Pedir el nombre antes del primer mensaje" },
    askEmail: { label: "Pedir el correo antes del primer mensaje" },
    askPhone: { label: "Pedir el teléfono antes del primer mensaje" },
    consentText: {
      label: "Consentimiento",
      hint: "Un texto que se acepta antes del primer mensaje. Vacío: no se pide nada.",
    },
    greetAfter: {
      label: "Mostrar el saludo tras, segundos",
      hint: "Junto al botón, antes de abrir el chat. 0: nunca.",
    },
    greetWhom: {
      label: "Mostrar el saludo a",
      choices: { all: "Todos", new: "Quienes no han escrito", returning: "Quienes ya han escrito" },
    },
    greetPages: { label: "Páginas con el saludo", hint: "Una ruta por línea, como /cesta o /cuerda/*. Vacío: todas." },
    starters: { label: "Preguntas para empezar", hint: "Una pregunta corta por línea, seis como máximo." },
    pageTitle: {
      label: "Poner el título de la página antes del primer mensaje de un chat",
      hint: "Entre corchetes. La dirección de la página llega al CRM en todo caso.",
    },
  },
  ru: {
    title: { label: "Заголовок окна чата", initial: "Напишите нам" },
    greeting: { label: "Приветствие", hint: "Первый текст в окне.", initial: "Здравствуйте! Чем можем помочь?" },
    language: {
      label: "Язык",
      hint: "Язык карточек товаров и заказов, а также окна, если оно не знает языка посетителя. Окно знает русский, английский, испанский, португальский, немецкий, французский, турецкий и арабский.",
      choices: LANGUAGE_NAMES,
      initial: "ru",
    },
    accent: { label: "Цвет" },
    allowedOrigins: {
      label: "Сайты, на которых можно показывать чат",
      hint: "По одному адресу в строке, например https://shop.example.com. Если пусто — на любом сайте.",
    },
    logoAddress: { label: "Логотип", hint: "Адрес квадратной картинки, который начинается с https://." },
    colourScheme: {
      label: "Цветовая схема",
      choices: { auto: "Как на устройстве посетителя", light: "Светлая", dark: "Тёмная" },
    },
    windowSide: { label: "Сторона окна", choices: { right: "Справа", left: "Слева" } },
    offsetX: { label: "Отступ сбоку, пиксели" },
    offsetY: { label: "Отступ снизу, пиксели" },
    launcherText: { label: "Текст на кнопке", hint: "Если пусто — только значок." },
    awayText: { label: "Сообщение в нерабочее время", hint: "Показывается под приветствием, пока никого нет." },
    openingHours: {
      label: "Часы работы",
      hint: "По одному промежутку в строке, например mon-fri 9:00-18:00. Дни: mon, tue, wed, thu, fri, sat, sun. Если пусто — всегда.",
    },
    openingZone: { label: "Часовой пояс", hint: "Например, Europe/Moscow." },
    replyMinutes: { label: "Обычное время ответа, минуты", hint: "Показывается в окне. 0 — не показывать." },
    askAfterMinutes: {
      label: "Просить e-mail или телефон через, минуты",
      hint: "Если за это время никто не ответил; в нерабочее время — сразу. Контакт попадёт в карточку клиента. 0 — никогда.",
    },
    askName: { label: "Спрашивать имя перед первым сообщением" },
    askEmail: { label: "Спрашивать e-mail перед первым сообщением" },
    askPhone: { label: "Спрашивать телефон перед первым сообщением" },
    consentText: {
      label: "Согласие",
      hint: "Текст, с которым нужно согласиться перед первым сообщением. Если пусто — согласие не спрашивается.",
    },
    greetAfter: {
      label: "Показывать приветствие через, секунды",
      hint: "Рядом с кнопкой, пока чат не открыт. 0 — никогда.",
    },
    greetWhom: {
      label: "Кому показывать приветствие",
      choices: { all: "Всем", new: "Тем, кто ещё не писал", returning: "Тем, кто уже писал" },
    },
    greetPages: {
      label: "Страницы с приветствием",
      hint: "По одному пути в строке, например /cart или /rope/*. Если пусто — все.",
    },
    starters: { label: "С чего можно начать", hint: "По одному короткому вопросу в строке, не больше шести." },
    pageTitle: {
      label: "Ставить заголовок страницы перед первым сообщением чата",
      hint: "В квадратных скобках. Адрес страницы попадает в CRM в любом случае.",
    },
  },
};
