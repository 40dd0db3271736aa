<?php
// An app of your own beside Gangway, in PHP 8.0 or newer, without packages.
//
//   SECRET=whsec_… php -S 0.0.0.0:8080 app.php                  takes callbacks
//   SECRET=whsec_… DOOR=https://…/m/… php app.php send Hello    sends a customer's message

declare(strict_types=1);

function sign(string $id, string $timestamp, string $body): string
{
    $key = base64_decode(str_replace('whsec_', '', (string) getenv('SECRET')));
    return base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
}

function isSigned(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/^\d+$/', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $right = 'v1,' . sign($id, $timestamp, $body);
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($right, $given)) {
            return true;
        }
    }
    return false;
}

function send(string $text): void
{
    [$id, $timestamp] = ['evt_' . bin2hex(random_bytes(16)), (string) time()];
    $data = ['chat' => 'robin', 'id' => bin2hex(random_bytes(16)), 'text' => $text, 'customer' => ['name' => 'Robin']];
    $body = json_encode(['type' => 'message.created', 'data' => $data], JSON_THROW_ON_ERROR);
    $headers = [
        'content-type: application/json',
        "webhook-id: $id",
        "webhook-timestamp: $timestamp",
        'webhook-signature: v1,' . sign($id, $timestamp, $body),
    ];
    $http = ['method' => 'POST', 'header' => implode("\r\n", $headers), 'content' => $body, 'ignore_errors' => true];
    $answer = file_get_contents((string) getenv('DOOR'), false, stream_context_create(['http' => $http]));
    $status = explode(' ', $http_response_header[0])[1];
    echo "$status $answer\n";
}

function take(array $event): void
{
    // Events that were taken already have a file: a database does it better.
    $known = sys_get_temp_dir() . '/gangway-' . hash('sha256', $event['id']);
    if (file_exists($known)) {
        return;
    }
    touch($known);
    // Here you show it to the customer.
    file_put_contents('php://stdout', $event['type'] . ': ' . ($event['data']['text'] ?? '') . "\n");
}

if (PHP_SAPI === 'cli') {
    send($argv[2] ?? 'Hello');
    exit;
}
$body = file_get_contents('php://input');
if (!isSigned($body)) {
    http_response_code(401);
    exit;
}
take(json_decode($body, true, 64, JSON_THROW_ON_ERROR));
http_response_code(204);
