<?php

// Reads, clocks somebody in and out, asks for an absence, pulls events: URL=… KEY=cpk_… php openapi-generator.php FOLDER

namespace GuzzleHttp\Psr7 {
    // The templates call a function of Guzzle 6, which Guzzle 7 has as a method.
    if (!\function_exists(__NAMESPACE__ . '\build_query')) {
        function build_query(array $parameters, $encoding = PHP_QUERY_RFC3986): string
        {
            return Query::build($parameters, $encoding);
        }
    }
}

namespace {
    use OpenAPI\Client\Api\AbsencesApi;
    use OpenAPI\Client\Api\ClockApi;
    use OpenAPI\Client\Api\EventsApi;
    use OpenAPI\Client\Api\PeopleApi;
    use OpenAPI\Client\Api\StatusApi;
    use OpenAPI\Client\Api\TimeApi;
    use OpenAPI\Client\ApiException;
    use OpenAPI\Client\Configuration;
    use OpenAPI\Client\Model\AbsenceRequest;
    use OpenAPI\Client\Model\ClockRequest;

    error_reporting(E_ALL & ~E_DEPRECATED);
    require 'GuzzleHttp/autoload.php';
    spl_autoload_register(function (string $class) use ($argv): void {
        $path = str_replace('\\', '/', substr($class, strlen('OpenAPI\\Client\\')));
        if (str_starts_with($class, 'OpenAPI\\Client\\')) require "$argv[1]/lib/$path.php";
    });

    $configuration = Configuration::getDefaultConfiguration()
        ->setHost(getenv('URL'))
        ->setAccessToken(getenv('KEY'));
    $http = new \GuzzleHttp\Client();
    $clock = new ClockApi($http, $configuration);
    $time = new TimeApi($http, $configuration);
    $absences = new AbsencesApi($http, $configuration);

    echo (new StatusApi($http, $configuration))->getStatus()->getVersion(), "\n";
    $id = null;
    foreach ((new PeopleApi($http, $configuration))->listUsers()->getData() as $person)
        if ($clock->listClockStates($person->getId())->getData()[0]?->getState() === 'out')
            $id = $person->getId();
    $stamp = new ClockRequest(['user_id' => $id]);
    echo $clock->clockIn(null, $stamp)->getClockState()->getState(), "\n";
    try {
        $clock->clockIn(null, $stamp);
        throw new RuntimeException('The second time succeeded.');
    } catch (ApiException $refusal) {
        $problem = json_decode((string) $refusal->getResponseBody());
        if ($refusal->getCode() !== 409 || $problem->code !== 'already_clocked_in') throw $refusal;
        echo $problem->code, "\n";
    }
    echo $clock->clockOut(null, $stamp)->getClockState()->getState(), "\n";

    $day = fn (string $offset): DateTime => new DateTime($offset);
    $entries = $time->listTimeEntries(date('Y-m-d', time() - 86400), date('Y-m-d', time() + 86400), null, $id)->getData();
    if ($time->getTimeEntry(end($entries)->getId())->getEnd() === null) throw new RuntimeException('no end');

    $absence = $absences->createAbsence(new AbsenceRequest([
        'user_id' => $id,
        'type' => 'vacation',
        'start_date' => $day('+410 days'),
        'end_date' => $day('+412 days'),
        'external_id' => 'Straße-1 php',
    ]));
    if ($absences->getAbsence($absence->getId())->getExternalId() !== 'Straße-1 php')
        throw new RuntimeException('The identifier is another one.');
    $absences->deleteAbsence($absence->getId());

    $events = (new EventsApi($http, $configuration))->listEvents(null, ['clock.in'])->getData();
    echo end($events)->getType(), "\n";
}
