DROP INDEX `message_due`;
--> statement-breakpoint
-- The end of a lane's head makes the next message its head. It is due now at the earliest, hence behind heads already due:
-- a long chat takes turns with the others.
CREATE TRIGGER `message_next_head` AFTER UPDATE OF `head` ON `message` WHEN OLD.`head` = 1 AND NEW.`head` = 0 BEGIN
  UPDATE `message` SET `head` = 1, `run_at` = max(`run_at`, NEW.`updated_at`) WHERE `id` = (
    SELECT `id` FROM `message` WHERE `channel_id` = NEW.`channel_id` AND `direction` = NEW.`direction`
      AND `chat` = NEW.`chat` AND `state` IN ('ready','sending','waiting') ORDER BY `position` LIMIT 1);
END;
