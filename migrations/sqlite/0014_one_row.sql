ALTER TABLE `message` RENAME TO `old_message`;
--> statement-breakpoint
DROP INDEX `message_chat`;
--> statement-breakpoint
DROP INDEX `message_first`;
--> statement-breakpoint
-- Where the first part is gone, the next takes its place.
UPDATE `old_message` SET `part` = 0 WHERE `part` > 0 AND NOT EXISTS (SELECT 1 FROM `old_message` AS `lower`
	WHERE `lower`.`channel_id` = `old_message`.`channel_id` AND `lower`.`gateway_message_id` = `old_message`.`gateway_message_id`
	AND `lower`.`part` < `old_message`.`part`);
--> statement-breakpoint
CREATE TABLE `chat` (
	`channel_id` text NOT NULL,
	`gateway_chat` text NOT NULL,
	`chat` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `gateway_chat`)
);
--> statement-breakpoint
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
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `message_key` ON `message` (`channel_id`,`direction`,`dedupe_key`) WHERE dedupe_key IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `message_messenger_id` ON `message` (`channel_id`,`messenger_message_id`) WHERE messenger_message_id IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `message_gateway_id` ON `message` (`channel_id`,`gateway_message_id`) WHERE gateway_message_id IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `part_messenger` ON `part` (`channel_id`,`messenger_message_id`);
--> statement-breakpoint
-- Work: a job that was sent again keeps its first id, which is its key.
INSERT INTO `message` (`id`, `account_id`, `channel_id`, `direction`, `kind`, `chat`, `events`, `state`, `album`, `position`, `head`, `known`,
	`attempts`, `unsure`, `crashes`, `fatal_crashes`, `in_own_code`, `begun`, `run_at`, `deadline_at`, `fence`, `payload`, `work`, `doubt_at`,
	`error_code`, `error`, `created_at`, `updated_at`)
SELECT coalesce(`origin`, `id`), `account_id`, `channel_id`, `direction`,
	CASE WHEN json_valid(`payload`) THEN `payload` ->> iif(`direction` = 'inbound', '$.event.type', '$.act.type') END,
	substr(`lane`, length(`channel_id`) + length(`direction`) + 3), `events`, `state`, `album`, `id`, `head`, `known`,
	`attempts`, `unsure`, `crashes`, `fatal_crashes`, `in_own_code`, `begun`, `run_at`, `deadline_at`, `fence`,
	CASE WHEN json_valid(`payload`) THEN coalesce(`payload` -> iif(`direction` = 'inbound', '$.event', '$.act'), `payload`) ELSE `payload` END,
	`work`, iif(json_valid(`work`), `work` ->> '$.progress.since', NULL), `error_code`, `error`,
	min(`created_at`, coalesce((SELECT `created_at` FROM `job` AS `first` WHERE `first`.`id` = `job`.`origin`), `created_at`)), `updated_at`
FROM `job` WHERE `direction` <> 'ack' AND `state` <> 'replayed';
--> statement-breakpoint
-- The newest ack of each message; its lane has the message's id.
CREATE TABLE `old_ack` AS SELECT `id`, `channel_id`, `account_id`, substr(`lane`, length(`channel_id`) + 6) AS `gateway_message_id`,
	CASE WHEN json_valid(`payload`) THEN coalesce(`payload` -> '$.ack', `payload`) ELSE `payload` END AS `body`,
	CASE `state` WHEN 'dead' THEN 'refused' WHEN 'sending' THEN 'sending' ELSE 'due' END AS `ack`, `attempts`, `fatal_crashes`, `in_own_code`,
	`run_at`, `deadline_at`, `fence`, `error`, `created_at`, `updated_at`
FROM `job` WHERE `state` IN ('ready','sending','waiting','held','dead')
	AND `id` IN (SELECT max(`id`) FROM `job` WHERE `direction` = 'ack' AND `state` <> 'replayed' GROUP BY `lane`);
--> statement-breakpoint
CREATE UNIQUE INDEX `old_ack_message` ON `old_ack` (`channel_id`,`gateway_message_id`);
--> statement-breakpoint
-- An owed ack that a newer one replaces is owed no more.
UPDATE `tally` SET `acks_owed` = `acks_owed` - `old`.`acks` + (SELECT count(*) FROM `old_ack`
	WHERE `old_ack`.`channel_id` = `tally`.`channel_id` AND `ack` IN ('due','sending'))
FROM (SELECT `channel_id`, count(*) AS `acks` FROM `job` WHERE `direction` = 'ack' AND `state` IN ('ready','sending','waiting','held')
	GROUP BY `channel_id`) AS `old` WHERE `old`.`channel_id` = `tally`.`channel_id`;
--> statement-breakpoint
DELETE FROM `sqlite_sequence` WHERE `name` = 'message';
--> statement-breakpoint
INSERT INTO `sqlite_sequence` (`name`, `seq`) VALUES ('message', coalesce((SELECT max(`seq`) FROM `sqlite_sequence` WHERE `name` = 'job'), 0));
--> statement-breakpoint
DROP TABLE `job`;
--> statement-breakpoint
UPDATE OR IGNORE `message` SET `messenger_message_id` = `old`.`messenger_message_id`, `gateway_message_id` = `old`.`gateway_message_id`
FROM `old_message` AS `old` WHERE `message`.`direction` = 'inbound' AND `message`.`kind` = 'message' AND `old`.`direction` = 'inbound'
	AND `old`.`part` = 0 AND `old`.`channel_id` = `message`.`channel_id`
	AND `old`.`messenger_message_id` = iif(json_valid(`message`.`payload`), `message`.`payload` ->> '$.messengerMessageId', NULL);
--> statement-breakpoint
UPDATE OR IGNORE `message` SET `messenger_message_id` = `old`.`messenger_message_id`, `gateway_message_id` = `old`.`gateway_message_id`,
	`first_id` = `old`.`first_id`, `holds` = `old`.`holds`, `fixed` = `old`.`fixed`, `words` = `old`.`words`
FROM `old_message` AS `old` WHERE `message`.`direction` = 'outbound' AND `message`.`kind` = 'message' AND `old`.`direction` = 'outbound'
	AND `old`.`part` = 0 AND `old`.`channel_id` = `message`.`channel_id`
	AND `old`.`gateway_message_id` = iif(json_valid(`message`.`payload`), `message`.`payload` ->> '$.gatewayMessageId', NULL);
--> statement-breakpoint
-- Its first job may be gone; its key stays as long as it lives.
UPDATE OR IGNORE `message` SET `dedupe_key` = `inbox`.`dedupe_key`, `created_at` = min(`created_at`, `received_at`)
FROM `inbox` WHERE `direction` = 'inbound' AND `kind` IS NOT NULL AND `inbox`.`channel_id` = `message`.`channel_id` AND `source` = 'messenger'
	AND `inbox`.`dedupe_key` = iif(json_valid(`payload`), `payload` ->> '$.key', NULL);
--> statement-breakpoint
UPDATE OR IGNORE `message` SET `dedupe_key` = `inbox`.`dedupe_key`, `created_at` = min(`created_at`, `received_at`)
FROM `inbox` WHERE `direction` = 'outbound' AND `gateway_message_id` IS NOT NULL AND `inbox`.`channel_id` = `message`.`channel_id`
	AND `source` = 'gateway' AND `inbox`.`dedupe_key` = 'sent:' || `gateway_message_id`;
--> statement-breakpoint
-- What has no work any more: ids and keys, numbered by age below all others; where an ack is owed or was refused, by its id.
CREATE TABLE `old_row` AS SELECT row_number() OVER (ORDER BY `at`, `part`, `message`, `inbox`)
	- (SELECT (SELECT count(*) FROM `old_message`) + (SELECT count(*) FROM `inbox`)) - 1 AS `number`, `message`, `inbox`
FROM (SELECT `created_at` AS `at`, `part`, `id` AS `message`, NULL AS `inbox` FROM `old_message` WHERE `part` = 0 OR `direction` = 'inbound'
	UNION ALL SELECT `received_at`, 0, NULL, `id` FROM `inbox`);
--> statement-breakpoint
INSERT OR IGNORE INTO `message` (`id`, `account_id`, `channel_id`, `direction`, `kind`, `chat`, `dedupe_key`, `gateway_message_id`,
	`messenger_message_id`, `first_id`, `holds`, `fixed`, `words`, `state`, `position`, `created_at`, `updated_at`)
SELECT coalesce(`old_ack`.`id`, `number`), coalesce(`channel`.`account_id`, ''), `row`.`channel_id`, `direction`, `row`.`kind`, `chat`,
	`dedupe_key`, `row`.`gateway_message_id`, `messenger_message_id`, `first_id`, `holds`, `fixed`, `words`, 'done', coalesce(`old_ack`.`id`, `number`),
	`at`, `at`
FROM (SELECT `number`, coalesce(`old`.`channel_id`, `inbox`.`channel_id`) AS `channel_id`,
		coalesce(`old`.`direction`, iif(`source` = 'messenger', 'inbound', 'outbound')) AS `direction`, iif(`message` IS NULL, NULL, 'message') AS `kind`,
		`chat`, `dedupe_key`, iif(`part` = 0, `gateway_message_id`, NULL) AS `gateway_message_id`, `messenger_message_id`, `first_id`, `holds`,
		`fixed`, `words`, coalesce(`old`.`created_at`, `received_at`) AS `at`
	FROM `old_row` LEFT JOIN `old_message` AS `old` ON `old`.`id` = `message` LEFT JOIN `inbox` ON `inbox`.`id` = `old_row`.`inbox`) AS `row`
LEFT JOIN `channel` ON `channel`.`id` = `row`.`channel_id`
LEFT JOIN `old_ack` ON `direction` = 'outbound' AND `old_ack`.`channel_id` = `row`.`channel_id`
	AND `old_ack`.`gateway_message_id` = `row`.`gateway_message_id`;
--> statement-breakpoint
UPDATE `message` SET `state` = 'carried', `carrier` = `root`.`id` FROM `old_message` AS `old`
	JOIN `message` AS `root` ON `root`.`channel_id` = `old`.`channel_id` AND `root`.`gateway_message_id` = `old`.`gateway_message_id`
WHERE `old`.`part` > 0 AND `old`.`direction` = 'inbound' AND `message`.`channel_id` = `old`.`channel_id`
	AND `message`.`messenger_message_id` = `old`.`messenger_message_id` AND `message`.`id` < 0;
--> statement-breakpoint
UPDATE `message` SET `state` = 'carried', `carrier` = `root`.`id`
FROM (SELECT `message`.`id`, `channel_id`, `piece`.`value` ->> '$.messengerMessageId' AS `piece` FROM `message`, json_each(iif(json_valid(`payload`), `payload`, '{}'), '$.pieces') AS `piece`
	WHERE `album` IS NOT NULL AND `kind` IS NOT NULL) AS `root`
WHERE `message`.`channel_id` = `root`.`channel_id` AND `message`.`messenger_message_id` = `root`.`piece` AND `message`.`id` < 0;
--> statement-breakpoint
INSERT OR IGNORE INTO `part` (`message_id`, `part`, `channel_id`, `messenger_message_id`, `first_id`, `holds`, `fixed`, `words`, `sent_at`)
SELECT `message`.`id`, `old`.`part`, `old`.`channel_id`, `old`.`messenger_message_id`, `old`.`first_id`, `old`.`holds`, `old`.`fixed`, `old`.`words`, `old`.`created_at`
FROM `old_message` AS `old` JOIN `message` ON `message`.`channel_id` = `old`.`channel_id` AND `message`.`gateway_message_id` = `old`.`gateway_message_id`
WHERE `old`.`part` > 0 AND `old`.`direction` = 'outbound' AND `old`.`messenger_message_id` IS NOT NULL;
--> statement-breakpoint
INSERT INTO `message` (`id`, `account_id`, `channel_id`, `direction`, `kind`, `gateway_message_id`, `state`, `position`, `created_at`, `updated_at`)
SELECT `id`, `account_id`, `channel_id`, 'outbound', 'message', `gateway_message_id`, 'done', `id`, `created_at`, `updated_at` FROM `old_ack`
WHERE NOT EXISTS (SELECT 1 FROM `message` WHERE `message`.`channel_id` = `old_ack`.`channel_id` AND `message`.`gateway_message_id` = `old_ack`.`gateway_message_id`);
--> statement-breakpoint
UPDATE `message` SET `ack` = `old`.`ack`, `ack_body` = `old`.`body`, `ack_version` = 1, `ack_attempts` = `old`.`attempts`, `ack_at` = `old`.`run_at`,
	`ack_deadline_at` = `old`.`deadline_at`, `ack_fence` = `old`.`fence`, `ack_error` = `old`.`error`,
	`fatal_crashes` = iif(`state` = 'done', `old`.`fatal_crashes`, `message`.`fatal_crashes`),
	`in_own_code` = iif(`state` = 'done', `old`.`in_own_code`, `message`.`in_own_code`),
	`updated_at` = iif(`state` = 'done', max(`message`.`updated_at`, `old`.`updated_at`), `message`.`updated_at`)
FROM `old_ack` AS `old` WHERE `message`.`channel_id` = `old`.`channel_id` AND `message`.`gateway_message_id` = `old`.`gateway_message_id`;
--> statement-breakpoint
INSERT INTO `chat` (`channel_id`, `gateway_chat`, `chat`, `created_at`)
SELECT `channel_id`, `gateway_chat`, `chat`, min(`created_at`) FROM `old_message` GROUP BY `channel_id`, `gateway_chat`;
--> statement-breakpoint
DROP TABLE `old_ack`;
--> statement-breakpoint
DROP TABLE `old_row`;
--> statement-breakpoint
DROP TABLE `old_message`;
--> statement-breakpoint
DROP TABLE `inbox`;
--> statement-breakpoint
CREATE INDEX `message_first` ON `message` (`channel_id`,`first_id`) WHERE first_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `message_chat` ON `message` (`channel_id`,`chat`);
--> statement-breakpoint
CREATE INDEX `message_carrier` ON `message` (`carrier`) WHERE carrier IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `message_lane` ON `message` (`channel_id`,`direction`,`chat`,`position`) WHERE state IN ('ready','sending','waiting');
--> statement-breakpoint
CREATE INDEX `message_due` ON `message` (`account_id`,`direction`,`run_at`,`id`) WHERE head = 1 AND state = 'ready';
--> statement-breakpoint
CREATE INDEX `message_channel_due` ON `message` (`channel_id`,`direction`,`known`,`run_at`,`id`) WHERE head = 1 AND state = 'ready';
--> statement-breakpoint
CREATE INDEX `message_deadline` ON `message` (`deadline_at`) WHERE state IN ('ready','waiting');
--> statement-breakpoint
CREATE INDEX `message_album` ON `message` (`channel_id`,`album`) WHERE album IS NOT NULL AND state = 'ready';
--> statement-breakpoint
CREATE INDEX `message_ended` ON `message` (`account_id`,`id`) WHERE state IN ('held','dead') OR ack = 'refused';
--> statement-breakpoint
CREATE INDEX `message_ack` ON `message` (`account_id`,`ack`,`ack_at`) WHERE ack IN ('due','sending');
--> statement-breakpoint
CREATE INDEX `message_age` ON `message` (`updated_at`) WHERE state IN ('done','dead') AND payload IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `part_first` ON `part` (`channel_id`,`first_id`) WHERE first_id IS NOT NULL;
--> statement-breakpoint
INSERT OR IGNORE INTO `meta` (`key`, `value`) VALUES ('starts', '0');
--> statement-breakpoint
-- Older versions insert this row at each start, and would not know these tables.
CREATE TRIGGER `older_version` BEFORE INSERT ON `meta` WHEN new.`key` = 'starts'
BEGIN
	SELECT RAISE(ABORT, 'the database is from a newer version of Gangway than this program: start that version');
END;
