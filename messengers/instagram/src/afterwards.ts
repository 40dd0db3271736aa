import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

const FIELDS = "messages, message_reactions, message_edit, messaging_postbacks, messaging_referral, messaging_seen";

/** Only its owner can set an address in the shop's own app; the operator's app has one. */
export function afterwards(
  { appSecret, verifyToken, comments }: Settings,
  doorUrl: string,
): InLanguages<FieldWords> | undefined {
  if (!appSecret) return undefined;
  const fields = comments ? `${FIELDS}, comments` : FIELDS;
  return {
    en: {
      label: "Send the app's messages here",
      steps: [
        "In developers.facebook.com, open your app, Instagram, API setup with Instagram login, and there Configure webhooks.",
        `Paste the callback URL: \`${doorUrl}\``,
        `Paste the verify token: \`${verifyToken}\``,
        `Press Verify and save, and subscribe to these fields: ${fields}.`,
        "Switch the app to Live mode: until then Instagram sends nothing of customers.",
      ],
    },
    es: {
      label: "Envíe aquí los mensajes de la aplicación",
      steps: [
        "En developers.facebook.com, abra su aplicación, Instagram, Configuración de la API con inicio de sesión de Instagram, y allí Configurar webhooks.",
        `Pegue la URL de devolución de llamada: \`${doorUrl}\``,
        `Pegue el token de verificación: \`${verifyToken}\``,
        `Pulse Verificar y guardar, y suscríbase a estos campos: ${fields}.`,
        "Ponga la aplicación en modo Activo: hasta entonces Instagram no envía nada de los clientes.",
      ],
    },
    ru: {
      label: "Направьте сообщения приложения сюда",
      steps: [
        "На developers.facebook.com откройте своё приложение: Instagram, «Настройка API с входом через Instagram», «Настроить вебхуки».",
        `Вставьте URL обратного вызова: \`${doorUrl}\``,
        `Вставьте токен подтверждения: \`${verifyToken}\``,
        `Нажмите «Подтвердить и сохранить» и подпишитесь на поля: ${fields}.`,
        "Переведите приложение в активный режим: до этого Instagram ничего не передаёт от клиентов.",
      ],
    },
  };
}
