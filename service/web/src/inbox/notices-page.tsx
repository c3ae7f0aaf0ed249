/** The service's notices to the person, newest first. */
import { Anchor, Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import { noticesKey } from '../api/notices.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { useFormats } from '../parts/formats.js';
import { GrowingList } from '../parts/growing-list.js';
import { withNames } from '../parts/names.js';
import { Page } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { MailChoices } from './mail-choices.js';

type Notice = Schemas['Notice'];

export function NoticesPage(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const queries = useQueryClient();
  const notices = usePagesOf([...noticesKey, 'list'], (cursor) =>
    ask(client.GET('/app/notices', { params: { query: { cursor } } })),
  );
  const reading = useMutation({
    mutationFn: (ids: number[]) => ask(client.POST('/app/notices/read', { body: { ids } })),
    onSettled: () => queries.invalidateQueries({ queryKey: noticesKey }),
  });
  return (
    <Page title={words.notices_title} lead={words.notices_text}>
      <ProblemNotice problem={reading.error} />
      <GrowingList of={notices} none={words.notices_none}>
        {(rows) => {
          const unreadNotices = rows.filter(({ read_at: readAt }) => readAt === undefined);
          return (
            <>
              {unreadNotices.length > 1 && (
                <Group>
                  <Button
                    variant="default"
                    loading={reading.isPending}
                    // The most notices that one request takes.
                    onClick={() => reading.mutate(unreadNotices.slice(0, 500).map(({ id }) => id))}
                  >
                    {words.notices_read_all}
                  </Button>
                </Group>
              )}
              <Stack component="ul" className="plain">
                {rows.map((notice) => {
                  const title =
                    notice.access_change !== undefined
                      ? words.notice_access[notice.access_change][0]
                      : words.notice_titles[notice.kind](
                          (notice.extension ?? notice.terminal ?? notice.waiting?.person)?.name,
                        );
                  return (
                    <li key={notice.id} className="sheet">
                      <Stack gap="xs">
                        <Group>
                          <Title order={2}>{title}</Title>
                          {notice.read_at === undefined && (
                            <Badge variant="light" tt="none">
                              {words.notice_unread}
                            </Badge>
                          )}
                        </Group>
                        <Text size="sm" c="dimmed">
                          {formats.instant(notice.at)}
                        </Text>
                        <NoticeText notice={notice} />
                        {notice.read_at === undefined && (
                          <Group>
                            <Button
                              variant="default"
                              size="xs"
                              aria-label={`${words.notice_read}: ${title}`}
                              disabled={reading.isPending}
                              onClick={() => reading.mutate([notice.id])}
                            >
                              {words.notice_read}
                            </Button>
                          </Group>
                        )}
                      </Stack>
                    </li>
                  );
                })}
              </Stack>
            </>
          );
        }}
      </GrowingList>
      <MailChoices />
    </Page>
  );
}

/** The text of a notice, by its kind. */
function NoticeText({
  notice: {
    kind,
    access_change: access,
    extension,
    terminal,
    holder,
    because,
    request,
    waiting,
    reopened,
    corrected,
    ended,
    day,
    month,
  },
}: {
  readonly notice: Notice;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  return (
    <>
      {access !== undefined && (
        <Text>
          {words.notice_access[access][1]} {words.notice_access_doubt}
        </Text>
      )}
      {because !== undefined && <Text>{words.webhook_disabled[because]}</Text>}
      {kind === 'webhooks_disabled' && extension !== undefined && (
        <Anchor component={Link} href={`/admin/extensions/${extension.id}`}>
          {words.notice_to_extension}
        </Anchor>
      )}
      {kind === 'proofs_stopped' && <Text>{words.notice_proofs_stopped}</Text>}
      {kind === 'key_copied' && <Text>{words.notice_key_copied}</Text>}
      {holder !== undefined && <Text>{withNames(words.notice_badge_failing, holder.name)}</Text>}
      {terminal !== undefined && (
        <Anchor component={Link} href={`/admin/terminals/${terminal.id}`}>
          {words.notice_to_terminal}
        </Anchor>
      )}
      {request !== undefined && (
        <>
          <Text>
            {words.notice_requests[request.kind]}, {calendar.span(request.start_date, request.end_date)}:{' '}
            {words.notice_outcomes[request.outcome]}
          </Text>
          <Anchor
            component={Link}
            href={
              request.kind.startsWith('absence')
                ? `/absences?month=${request.start_date.slice(0, 7)}`
                : '/time/corrections'
            }
          >
            {request.kind.startsWith('absence') ? words.absences_title : words.corrections_title}
          </Anchor>
        </>
      )}
      {waiting !== undefined && (
        <>
          <Text>
            {words.notice_requests[waiting.kind]}, {calendar.span(waiting.start_date, waiting.end_date)}
          </Text>
          <Anchor component={Link} href="/team/approvals">
            {words.approvals_title}
          </Anchor>
        </>
      )}
      {reopened !== undefined && (
        <>
          <Text>
            {reopened.by === undefined
              ? words.notice_reopened(calendar.month(reopened.month))
              : withNames(words.notice_reopened_by, calendar.month(reopened.month), reopened.by.name)}
          </Text>
          <Text>{withNames(words.notice_reason, reopened.reason)}</Text>
          <Anchor component={Link} href={`/time?month=${reopened.month}`}>
            {words.month_title}
          </Anchor>
        </>
      )}
      {(kind === 'proof_overdue' || kind === 'proof_contradicted') && month !== undefined && (
        <Text>{words.notice_proofs[kind](calendar.month(month))}</Text>
      )}
      {(kind === 'log_overdue' || kind === 'log_contradicted') && day !== undefined && (
        <Text>{words.notice_log[kind](calendar.day(day))}</Text>
      )}
      {corrected !== undefined && <CorrectedTime of={corrected} />}
      {ended !== undefined && (
        <>
          <Text>{words.notice_link_ended[ended]}</Text>
          <Anchor component={Link} href="/profile/linked-apps">
            {words.linked_apps_title}
          </Anchor>
        </>
      )}
      {kind === 'stamp_unresolved' && day !== undefined && (
        <>
          <Text>{withNames(words.notice_stamp_unresolved, calendar.day(day))}</Text>
          <Anchor component={Link} href="/time/corrections">
            {words.corrections_title}
          </Anchor>
        </>
      )}
      {kind === 'stamp_undecided' && (
        <Anchor component={Link} href="/team/unresolved-stamps">
          {words.unresolved_title}
        </Anchor>
      )}
      {kind === 'clock_out_missing' && day !== undefined && (
        <>
          <Text>{words.notice_clocked_in_since(calendar.day(day))}</Text>
          <Anchor component={Link} href="/">
            {words.notice_add_clock_out}
          </Anchor>
        </>
      )}
      {kind === 'proofs_to_keep' && day !== undefined && (
        <>
          <Text>{words.notice_proofs_to_keep(calendar.day(day))}</Text>
          <Anchor component={Link} href="/profile/proofs">
            {words.proofs_title}
          </Anchor>
        </>
      )}
      {kind === 'pin_reset' && (
        <>
          <Text>{words.notice_pin_reset}</Text>
          <Anchor component={Link} href="/profile/badges">
            {words.my_badges_title}
          </Anchor>
        </>
      )}
    </>
  );
}

function CorrectedTime({
  of: { by, start_date: from, end_date: to, reason },
}: {
  readonly of: Schemas['CorrectedTime'];
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const days = calendar.span(from, to);
  return (
    <>
      <Text>
        {by === undefined
          ? words.notice_corrected(days)
          : withNames((name) => words.notice_corrected_by(days, name), by.name)}
      </Text>
      <Text>{withNames(words.notice_reason, reason)}</Text>
      <Anchor component={Link} href={`/time?day=${from}`}>
        {words.month_title}
      </Anchor>
    </>
  );
}
