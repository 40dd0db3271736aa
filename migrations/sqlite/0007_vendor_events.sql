CREATE TABLE `api_token` (
	`name` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_token_hash` ON `api_token` (`token_hash`);--> statement-breakpoint
CREATE TABLE `vendor_event` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uid` text NOT NULL,
	`account_id` text,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`run_at` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error` text,
	`state` text DEFAULT 'due' NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `vendor_event_due` ON `vendor_event` (`id`) WHERE state = 'due';--> statement-breakpoint
CREATE INDEX `vendor_event_account` ON `vendor_event` (`account_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `vendor_event_uid` ON `vendor_event` (`uid`);
--> statement-breakpoint
-- What the vendor's system is told of is written with what it reports, while `meta` says that somebody listens.
CREATE TRIGGER `account_event_added` AFTER INSERT ON `account` WHEN ((NEW.`active` <> 0 AND NEW.`frozen` = 0))
  AND EXISTS (SELECT 1 FROM `meta` WHERE `key` = 'vendor_events') BEGIN
  INSERT INTO `vendor_event` (`uid`, `account_id`, `type`, `body`, `created_at`)
  SELECT 'evt_' || lower(hex(randomblob(16))), `account`.`id`, 'account.connected', json_object('type', 'account.connected',
    'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    'data', json_object('account', json_object('id', `account`.`id`, 'crmUrl', `account`.`crm_url`))),
    CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)
  FROM `account` WHERE `account`.`id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `account_event_activity` AFTER UPDATE OF `active`, `frozen` ON `account` WHEN ((NEW.`active` <> 0 AND NEW.`frozen` = 0) <> (OLD.`active` <> 0 AND OLD.`frozen` = 0))
  AND EXISTS (SELECT 1 FROM `meta` WHERE `key` = 'vendor_events') BEGIN
  INSERT INTO `vendor_event` (`uid`, `account_id`, `type`, `body`, `created_at`)
  SELECT 'evt_' || lower(hex(randomblob(16))), `account`.`id`, CASE WHEN (NEW.`active` <> 0 AND NEW.`frozen` = 0) THEN 'account.connected' ELSE 'account.disconnected' END, json_object('type', CASE WHEN (NEW.`active` <> 0 AND NEW.`frozen` = 0) THEN 'account.connected' ELSE 'account.disconnected' END,
    'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    'data', json_object('account', json_object('id', `account`.`id`, 'crmUrl', `account`.`crm_url`),
      'reason', CASE WHEN NEW.`active` = 0 THEN 'off' WHEN NEW.`frozen` <> 0 THEN 'frozen' END)),
    CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)
  FROM `account` WHERE `account`.`id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `account_event_trouble` AFTER UPDATE OF `trouble` ON `account` WHEN ((NEW.`trouble` IS NULL) <> (OLD.`trouble` IS NULL))
  AND EXISTS (SELECT 1 FROM `meta` WHERE `key` = 'vendor_events') BEGIN
  INSERT INTO `vendor_event` (`uid`, `account_id`, `type`, `body`, `created_at`)
  SELECT 'evt_' || lower(hex(randomblob(16))), `account`.`id`, CASE WHEN NEW.`trouble` IS NULL THEN 'account.recovered' ELSE 'account.troubled' END, json_object('type', CASE WHEN NEW.`trouble` IS NULL THEN 'account.recovered' ELSE 'account.troubled' END,
    'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    'data', json_object('account', json_object('id', `account`.`id`, 'crmUrl', `account`.`crm_url`))),
    CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)
  FROM `account` WHERE `account`.`id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `channel_event` AFTER UPDATE OF `trouble`, `state` ON `channel` WHEN ((NEW.`state` <> 'removed' AND (NEW.`state` = 'stopped' OR NEW.`trouble` IS NOT NULL)) <> (OLD.`state` <> 'removed' AND (OLD.`state` = 'stopped' OR OLD.`trouble` IS NOT NULL)) OR (NEW.`state` <> OLD.`state` AND NEW.`state` IN ('stopped','removed')))
  AND EXISTS (SELECT 1 FROM `meta` WHERE `key` = 'vendor_events') BEGIN
  INSERT INTO `vendor_event` (`uid`, `account_id`, `type`, `body`, `created_at`)
  SELECT 'evt_' || lower(hex(randomblob(16))), `account`.`id`, CASE WHEN NEW.`state` = 'removed' THEN 'channel.removed' WHEN (NEW.`state` <> 'removed' AND (NEW.`state` = 'stopped' OR NEW.`trouble` IS NOT NULL)) THEN 'channel.troubled' ELSE 'channel.recovered' END, json_object('type', CASE WHEN NEW.`state` = 'removed' THEN 'channel.removed' WHEN (NEW.`state` <> 'removed' AND (NEW.`state` = 'stopped' OR NEW.`trouble` IS NOT NULL)) THEN 'channel.troubled' ELSE 'channel.recovered' END,
    'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    'data', json_object('account', json_object('id', `account`.`id`, 'crmUrl', `account`.`crm_url`),
      'channel', json_object('id', NEW.`id`, 'kind', NEW.`kind`, 'name', NEW.`name`),
      'reason', CASE WHEN NEW.`state` = 'stopped' THEN 'stopped' WHEN (NEW.`state` <> 'removed' AND (NEW.`state` = 'stopped' OR NEW.`trouble` IS NOT NULL)) THEN 'troubled' END)),
    CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)
  FROM `account` WHERE `account`.`id` = NEW.`account_id`;
END;
