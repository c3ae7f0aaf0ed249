<?php
// Receives webhooks: php -S 127.0.0.1:3000 receiver.php, with WEBHOOK_SECRET (whsec_…).
// HANDLED is a folder with a file for each event and each epoch; in production: two tables with a unique index.

function is_genuine(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/\A[0-9]{1,12}\z/', $time) || abs(time() - (int) $time) > 300) {
        return false;
    }
    $key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $entry) {
        if (hash_equals($expected, $entry)) {
            return true;
        }
    }
    return false;
}

// The installation may have lost its last changes, which your copy still holds: replace it here.
function resynchronise(): void
{
    error_log('history changed: read the lists in full');
}

// The bytes as they came, before anything parses them.
$body = file_get_contents('php://input');
if (!is_genuine($body)) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true);
$epoch = getenv('HANDLED') . '/epoch-' . basename($event['epoch']);
if (!file_exists($epoch)) {
    if (glob(getenv('HANDLED') . '/epoch-*') !== []) {
        resynchronise();
    }
    touch($epoch);
}
$file = @fopen(getenv('HANDLED') . '/' . basename($event['id']), 'x');
if ($file !== false) {
    fwrite($file, "{$event['sequence']} {$event['type']}\n");
    fclose($file);
}
// Unknown types are accepted too.
http_response_code(204);
