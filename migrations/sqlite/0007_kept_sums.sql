CREATE TABLE `kept_sum` (
	`channel_id` text NOT NULL,
	`day` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `day`)
);--> statement-breakpoint
INSERT INTO `kept_sum` SELECT `channel_id`, `created_at` / 86400000, sum(max(`size`, 4096)) FROM `kept_file` GROUP BY 1, 2;--> statement-breakpoint
CREATE TRIGGER `kept_file_added` AFTER INSERT ON `kept_file` BEGIN
	INSERT INTO `kept_sum` VALUES (new.`channel_id`, new.`created_at` / 86400000, max(new.`size`, 4096))
		ON CONFLICT DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;--> statement-breakpoint
CREATE TRIGGER `kept_file_gone` AFTER DELETE ON `kept_file` BEGIN
	UPDATE `kept_sum` SET `bytes` = `bytes` - max(old.`size`, 4096)
		WHERE `channel_id` = old.`channel_id` AND `day` = old.`created_at` / 86400000;
	DELETE FROM `kept_sum`
		WHERE `channel_id` = old.`channel_id` AND `day` = old.`created_at` / 86400000 AND `bytes` <= 0;
END;
