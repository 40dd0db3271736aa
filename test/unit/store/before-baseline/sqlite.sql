-- A database of SQLite as the last migration before the baseline left it.
CREATE TABLE "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric);
INSERT INTO "__drizzle_migrations" (hash, created_at) VALUES ('', 1795735260962);
CREATE TABLE `account_lease` (
	`account_id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`fence` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`crm_url` text NOT NULL,
	`api_key_sealed` text NOT NULL,
	`client_id_hash` text NOT NULL,
	`client_id_sealed` text NOT NULL,
	`webhook_hash` text NOT NULL,
	`webhook_sealed` text NOT NULL,
	`gateway_url` text NOT NULL,
	`gateway_token_sealed` text NOT NULL,
	`active` integer NOT NULL,
	`frozen` integer NOT NULL,
	`trouble` text,
	`rest_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
, `unanswered` integer DEFAULT 0 NOT NULL, `unanswered_at` integer DEFAULT 0 NOT NULL, `language` text, `time_zone` text, `technical_url` text, `unanswered_calls` text DEFAULT '' NOT NULL);
CREATE UNIQUE INDEX `account_crm_url` ON `account` (`crm_url`);
CREATE UNIQUE INDEX `account_client_id` ON `account` (`client_id_hash`);
CREATE UNIQUE INDEX `account_webhook` ON `account` (`webhook_hash`);
CREATE TABLE `channel` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`door_hash` text NOT NULL,
	`door_sealed` text NOT NULL,
	`settings_sealed` text NOT NULL,
	`gateway_channel_id` text,
	`announced` text,
	`unsure` text NOT NULL,
	`state` text NOT NULL,
	`trouble` text,
	`epoch` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `told` text, `identity` text, `link` text, `member_of` text,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `channel_door` ON `channel` (`door_hash`);
CREATE UNIQUE INDEX `channel_gateway` ON `channel` (`account_id`,`gateway_channel_id`);
CREATE TABLE `journal` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel_id` text NOT NULL,
	`chat` text NOT NULL,
	`key` text NOT NULL,
	`entry` text NOT NULL,
	`created_at` integer NOT NULL
);
CREATE UNIQUE INDEX `journal_key` ON `journal` (`channel_id`,`key`);
CREATE INDEX `journal_chat` ON `journal` (`channel_id`,`chat`,`position`);
CREATE TABLE `kept_file` (
	`channel_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text,
	`media_type` text NOT NULL,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL, `chat` text,
	PRIMARY KEY(`channel_id`, `id`)
);
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
CREATE TABLE `web_session` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`form_token` text NOT NULL,
	`expires_at` integer NOT NULL, `started_at` integer DEFAULT 0 NOT NULL, `browser` text,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `note` (
	`channel_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `key`)
);
CREATE UNIQUE INDEX `channel_identity` ON `channel` (`identity`) WHERE state <> 'removed';
CREATE INDEX `channel_untold` ON `channel` (`id`) WHERE coalesce(trouble, '') <> coalesce(told, '');
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` text,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`detail` text NOT NULL,
	`at` integer NOT NULL
);
CREATE INDEX `audit_account` ON `audit` (`account_id`,`id`);
CREATE TABLE `raw_webhook` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sealed` text NOT NULL,
	`received_at` integer NOT NULL
);
CREATE TABLE `tally` (
	`channel_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`accepted` integer DEFAULT 0 NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`refused` integer DEFAULT 0 NOT NULL
, `acks_owed` integer DEFAULT 0 NOT NULL, `acks_given` integer DEFAULT 0 NOT NULL, `acks_refused` integer DEFAULT 0 NOT NULL, `last_inbound_at` integer, `last_outbound_at` integer, `messages_delivered` integer DEFAULT 0 NOT NULL, `messages_refused` integer DEFAULT 0 NOT NULL);
CREATE TABLE `kept_sum` (
	`channel_id` text NOT NULL,
	`day` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `day`)
);
CREATE TRIGGER `kept_file_added` AFTER INSERT ON `kept_file` BEGIN
	INSERT INTO `kept_sum` VALUES (new.`channel_id`, new.`created_at` / 86400000, max(new.`size`, 4096))
		ON CONFLICT DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
CREATE TRIGGER `kept_file_gone` AFTER DELETE ON `kept_file` BEGIN
	UPDATE `kept_sum` SET `bytes` = `bytes` - max(old.`size`, 4096)
		WHERE `channel_id` = old.`channel_id` AND `day` = old.`created_at` / 86400000;
	DELETE FROM `kept_sum`
		WHERE `channel_id` = old.`channel_id` AND `day` = old.`created_at` / 86400000 AND `bytes` <= 0;
END;
CREATE TABLE `chat` (
	`channel_id` text NOT NULL,
	`gateway_chat` text NOT NULL,
	`chat` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `gateway_chat`)
);
CREATE TABLE `message` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`direction` text NOT NULL,
	`kind` text,
	`chat` text,
	`dedupe_key` text,
	`events` integer DEFAULT 0 NOT NULL,
	`gateway_message_id` text,
	`messenger_message_id` text,
	`first_id` text,
	`holds` text,
	`fixed` integer,
	`words` text,
	`state` text NOT NULL,
	`carrier` integer,
	`album` text,
	`position` integer NOT NULL,
	`head` integer DEFAULT 0 NOT NULL,
	`known` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`unsure` integer DEFAULT 0 NOT NULL,
	`crashes` integer DEFAULT 0 NOT NULL,
	`fatal_crashes` integer DEFAULT 0 NOT NULL,
	`in_own_code` integer DEFAULT 0 NOT NULL,
	`doubt_at` integer,
	`begun` integer DEFAULT 0 NOT NULL,
	`run_at` integer DEFAULT 0 NOT NULL,
	`deadline_at` integer DEFAULT 0 NOT NULL,
	`fence` integer DEFAULT 0 NOT NULL,
	`payload` text,
	`work` text,
	`error_code` text,
	`error` text,
	`ack` text,
	`ack_body` text,
	`ack_version` integer DEFAULT 0 NOT NULL,
	`ack_attempts` integer DEFAULT 0 NOT NULL,
	`ack_at` integer,
	`ack_deadline_at` integer,
	`ack_fence` integer,
	`ack_error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
, `tries` text, `ack_tries` text, `ended_at` integer, `late_at` integer, `generation` integer DEFAULT 0 NOT NULL);
CREATE TABLE `part` (
	`message_id` integer NOT NULL,
	`part` integer NOT NULL,
	`channel_id` text NOT NULL,
	`messenger_message_id` text NOT NULL,
	`first_id` text,
	`holds` text,
	`fixed` integer,
	`words` text,
	`sent_at` integer NOT NULL,
	PRIMARY KEY(`message_id`, `part`),
	FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE UNIQUE INDEX `message_key` ON `message` (`channel_id`,`direction`,`dedupe_key`) WHERE dedupe_key IS NOT NULL;
CREATE UNIQUE INDEX `message_messenger_id` ON `message` (`channel_id`,`messenger_message_id`) WHERE messenger_message_id IS NOT NULL;
CREATE UNIQUE INDEX `message_gateway_id` ON `message` (`channel_id`,`gateway_message_id`) WHERE gateway_message_id IS NOT NULL;
CREATE UNIQUE INDEX `part_messenger` ON `part` (`channel_id`,`messenger_message_id`);
CREATE INDEX `message_first` ON `message` (`channel_id`,`first_id`) WHERE first_id IS NOT NULL;
CREATE INDEX `message_chat` ON `message` (`channel_id`,`chat`);
CREATE INDEX `message_carrier` ON `message` (`carrier`) WHERE carrier IS NOT NULL;
CREATE INDEX `message_lane` ON `message` (`channel_id`,`direction`,`chat`,`position`) WHERE state IN ('ready','sending','waiting');
CREATE INDEX `message_channel_due` ON `message` (`channel_id`,`direction`,`known`,`run_at`,`id`) WHERE head = 1 AND state = 'ready';
CREATE INDEX `message_deadline` ON `message` (`deadline_at`) WHERE state IN ('ready','waiting');
CREATE INDEX `message_album` ON `message` (`channel_id`,`album`) WHERE album IS NOT NULL AND state = 'ready';
CREATE INDEX `message_ack` ON `message` (`account_id`,`ack`,`ack_at`) WHERE ack IN ('due','sending');
CREATE INDEX `message_age` ON `message` (`updated_at`) WHERE state IN ('done','dead') AND payload IS NOT NULL;
CREATE INDEX `part_first` ON `part` (`channel_id`,`first_id`) WHERE first_id IS NOT NULL;
INSERT INTO `meta` (`key`, `value`) VALUES ('starts', '3');
CREATE TRIGGER `older_version` BEFORE INSERT ON `meta` WHEN new.`key` = 'starts'
BEGIN
	SELECT RAISE(ABORT, 'the database is from a newer version of Gangway than this program: start that version');
END;
CREATE TRIGGER `message_next_head` AFTER UPDATE OF `head` ON `message` WHEN OLD.`head` = 1 AND NEW.`head` = 0 BEGIN
  UPDATE `message` SET `head` = 1, `run_at` = max(`run_at`, NEW.`updated_at`) WHERE `id` = (
    SELECT `id` FROM `message` WHERE `channel_id` = NEW.`channel_id` AND `direction` = NEW.`direction`
      AND `chat` = NEW.`chat` AND `state` IN ('ready','sending','waiting') ORDER BY `position` LIMIT 1);
END;
CREATE INDEX `account_technical_url` ON `account` (`technical_url`);
CREATE TABLE `erased` (
	`channel_id` text NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `hash`)
);
CREATE TABLE `traffic` (
	`channel_id` text NOT NULL,
	`hour` integer NOT NULL,
	`delivered` integer NOT NULL,
	`refused` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `hour`)
);
CREATE TABLE `erasure` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL,
	`files` integer DEFAULT 0 NOT NULL,
	`webhooks` integer DEFAULT 0 NOT NULL,
	`notes` integer DEFAULT 0 NOT NULL
);
CREATE INDEX `kept_file_chat` ON `kept_file` (`channel_id`,`chat`) WHERE chat IS NOT NULL;
CREATE TABLE `erasure_request` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`sealed` text,
	`created_at` integer NOT NULL,
	`done_at` integer
);
CREATE TABLE `parked` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`login` text NOT NULL,
	`owner` text NOT NULL,
	`channel_id` text,
	`account_id` text,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`sealed` text NOT NULL
);
CREATE UNIQUE INDEX `parked_id` ON `parked` (`id`);
CREATE INDEX `parked_login` ON `parked` (`login`,`position`);
CREATE INDEX `parked_owner` ON `parked` (`owner`,`position`);
CREATE INDEX `message_ended` ON `message` (`account_id`,`id`,`state`,`ack`,`channel_id`,`error_code`,`events`,`album`) WHERE state IN ('held','dead') OR ack = 'refused';
