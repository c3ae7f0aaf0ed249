/** The state of the demo page, and the browsers that watch it. */
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { Response } from 'express';
import type { PersonId } from '../../src/store/ids.js';
import type { StageEvent } from './events.js';
import type { Developer, Door, Phone, Scene, Supervisor } from './scene.js';

export interface Play {
  /** The person whose phone is shown. */
  followed: PersonId;
  door: Door;
  phone?: Phone;
  supervisor?: Supervisor;
  developer: Developer;
  stamp?: Scene['stamp'];
  /** The instant at which the newest card was held to the reader. */
  presentedAt: number;
  /** Events since the start of the demo. */
  events: readonly StageEvent[];
}

/** Notes the time at which a place knew the followed stamp. */
export function noteArrival(play: Play, place: 'phone' | 'supervisor' | 'developer'): void {
  if (play.stamp !== undefined && play.stamp[place] === undefined)
    play.stamp = { ...play.stamp, [place]: Date.now() - play.presentedAt };
}

export interface Audience {
  /** Sends the scene now and at each change. */
  watch(response: Response): void;
  tell(): void;
  close(): void;
}

export function createAudience(play: Play, company: string, timeZone: ZoneName): Audience {
  const watchers = new Set<Response>();
  const message = () => {
    const { door, phone, supervisor, developer, stamp } = play;
    const now = new Date().toISOString();
    return `data: ${JSON.stringify({ now, company, time_zone: timeZone, door, phone, supervisor, developer, stamp })}\n\n`;
  };
  return {
    watch(response) {
      response.set({ 'content-type': 'text/event-stream' });
      response.write(message());
      watchers.add(response);
      response.on('close', () => watchers.delete(response));
    },
    tell() {
      const text = message();
      for (const watcher of watchers) watcher.write(text);
    },
    close() {
      for (const watcher of watchers) watcher.end();
    },
  };
}
