/**
 * Simulated cards of both families, from the factory to the badge: DESFire EV1 to EV3 and NTAG 424 DNA. They answer
 * ISO-wrapped native commands as the data sheets say, forget an authentication at every select and every error, and know
 * nothing of the service.
 */
import { randomBytes } from 'node:crypto';
import { aes, type Cipher, cmac, crc32, des, rotate, xor, zeros } from './crypto.js';

export interface Card {
  readonly uid: string;
  /** Hexadecimal C-APDU in, R-APDU out. */
  transmit(apdu: string): string;
  /** The field is left: what was authenticated is forgotten, keys stay. */
  reset(): void;
}

export interface CardSetup {
  readonly uid?: string;
  /** A badge that was issued already: its stamp key, at key number 1. */
  readonly stampKey?: Buffer;
  readonly aid?: string;
  /** Random bytes of the card, for vectors. */
  readonly random?: (length: number) => Buffer;
}

const newUid = () => `04${randomBytes(6).toString('hex')}`;
const status = (code: number, data: Buffer = zeros(0)) =>
  Buffer.concat([data, Buffer.from([0x91, code])]).toString('hex');

interface Key {
  value: Buffer;
  version: number;
}
interface Application {
  readonly keys: Key[];
}

/** One pending authentication or an open session of the EV1 channel. */
interface Ev1Session {
  readonly cipher: Cipher;
  readonly keyNumber: number;
  iv: Buffer;
}

export class Desfire implements Card {
  readonly uid: string;
  readonly applications = new Map<string, Application>();
  readonly #random: (length: number) => Buffer;
  #selected: string | undefined;
  #session: Ev1Session | undefined;
  #pending: ((data: Buffer) => string) | undefined;

  constructor({ uid = newUid(), stampKey, aid, random = randomBytes }: CardSetup = {}) {
    this.uid = uid;
    this.#random = random;
    if (stampKey !== undefined && aid !== undefined)
      this.applications.set(aid, {
        keys: [
          { value: randomBytes(16), version: 1 },
          { value: stampKey, version: 1 },
        ],
      });
  }

  reset(): void {
    this.#selected = undefined;
    this.#session = undefined;
    this.#pending = undefined;
  }

  transmit(apdu: string): string {
    const bytes = Buffer.from(apdu, 'hex');
    if (apdu.toLowerCase() === 'ffca000000') return `${this.uid}9000`;
    if (bytes[0] !== 0x90) return '6e00';
    const data = bytes.length > 5 ? bytes.subarray(5, 5 + bytes[4]!) : zeros(0);
    if (bytes[1] === 0xaf) {
      const next = this.#pending;
      this.#pending = undefined;
      return next === undefined ? this.#fail(0x1c) : next(data);
    }
    if (this.#pending !== undefined) {
      this.#pending = undefined;
      return this.#fail(0xca);
    }
    return this.#command(bytes[1]!, data);
  }

  #fail(code: number): string {
    this.#session = undefined;
    return status(code);
  }

  #keys(): Key[] | undefined {
    return this.#selected === undefined ? undefined : this.applications.get(this.#selected)?.keys;
  }

  /** The answer of a plain command; in a session with eight bytes of CMAC. */
  #plain(ins: number, data: Buffer, reply: Buffer = zeros(0)): string {
    const session = this.#session;
    if (session === undefined) return status(0x00, reply);
    session.iv = cmac(session.cipher, Buffer.concat([Buffer.from([ins]), data]), session.iv);
    session.iv = cmac(session.cipher, Buffer.concat([reply, Buffer.from([0x00])]), session.iv);
    return status(0x00, Buffer.concat([reply, session.iv.subarray(0, 8)]));
  }

  #command(ins: number, data: Buffer): string {
    switch (ins) {
      case 0x60: {
        const frames = [
          Buffer.from('04010133001a05', 'hex'),
          Buffer.from('04010103001a05', 'hex'),
          Buffer.concat([Buffer.from(this.uid, 'hex'), Buffer.from('ba4519e3204913', 'hex')]),
        ];
        this.#pending = () => {
          this.#pending = () => status(0x00, frames[2]!);
          return status(0xaf, frames[1]!);
        };
        return status(0xaf, frames[0]!);
      }
      case 0x5a: {
        this.#session = undefined;
        const aid = data.toString('hex');
        if (aid === '000000') {
          this.#selected = undefined;
          return status(0x00);
        }
        if (!this.applications.has(aid)) return status(0xa0);
        this.#selected = aid;
        return status(0x00);
      }
      case 0x6a:
        return this.#plain(ins, data, Buffer.from([...this.applications.keys()].join(''), 'hex'));
      case 0x45:
        return this.#plain(ins, data, Buffer.from(this.#selected === undefined ? '0f01' : '0b82', 'hex'));
      case 0x64: {
        const key = this.#selected === undefined ? { version: 0 } : this.#keys()?.[data[0]!];
        return key === undefined ? this.#fail(0x40) : this.#plain(ins, data, Buffer.from([key.version]));
      }
      case 0x1a:
        return this.#selected === undefined && data[0] === 0
          ? this.#authenticate(des(zeros(8)), 0, 8, (a, b) => des(Buffer.concat([a.subarray(0, 4), b.subarray(0, 4)])))
          : this.#fail(0xae);
      case 0xaa: {
        const key = this.#keys()?.[data[0]!];
        if (key === undefined) return this.#fail(this.#selected === undefined ? 0xae : 0x40);
        return this.#authenticate(aes(key.value), data[0]!, 16, (a, b) =>
          aes(Buffer.concat([a.subarray(0, 4), b.subarray(0, 4), a.subarray(12), b.subarray(12)])),
        );
      }
      case 0xca: {
        const aid = data.subarray(0, 3).toString('hex');
        if (this.#selected !== undefined) return this.#fail(0x9d);
        if (this.applications.has(aid)) return this.#fail(0xde);
        const count = data[4]! & 0x0f;
        this.applications.set(aid, { keys: Array.from({ length: count }, () => ({ value: zeros(16), version: 0 })) });
        return this.#plain(ins, data);
      }
      case 0xc4:
        return this.#changeKey(data);
      default:
        return this.#fail(0x1c);
    }
  }

  /** CBC runs on through all three messages. */
  #authenticate(
    cipher: Cipher,
    keyNumber: number,
    length: number,
    sessionOf: (a: Buffer, b: Buffer) => Cipher,
  ): string {
    this.#session = undefined;
    const rndB = this.#random(length);
    const first = cipher.encrypt(zeros(cipher.block), rndB);
    this.#pending = (token) => {
      if (token.length !== 2 * length) return this.#fail(0x7e);
      const plain = cipher.decrypt(first.subarray(-cipher.block), token);
      const rndA = plain.subarray(0, length);
      if (!plain.subarray(length).equals(rotate(rndB))) return this.#fail(0xae);
      this.#session = { cipher: sessionOf(rndA, rndB), keyNumber, iv: zeros(cipher.block) };
      return status(0x00, cipher.encrypt(token.subarray(-cipher.block), rotate(Buffer.from(rndA))));
    };
    return status(0xaf, first);
  }

  #changeKey(data: Buffer): string {
    const session = this.#session;
    const keys = this.#keys();
    const number = data[0]! & 0x0f;
    const key = keys?.[number];
    if (session === undefined || key === undefined) return this.#fail(0xae);
    if (session.keyNumber !== 0) return this.#fail(0x9d);
    const cryptogram = data.subarray(1);
    if (cryptogram.length % session.cipher.block !== 0) return this.#fail(0x7e);
    const plain = session.cipher.decrypt(session.iv, cryptogram);
    const [value, version, sum] = [plain.subarray(0, 16), plain[16]!, plain.subarray(17, 21)];
    const expected = crc32(Buffer.concat([Buffer.from([0xc4, data[0]!]), value, Buffer.from([version])]));
    if (!sum.equals(expected)) return this.#fail(0x1e);
    if (number === session.keyNumber) {
      Object.assign(key, { value: Buffer.from(value), version });
      this.#session = undefined;
      return status(0x00);
    }
    const changed = xor(value, key.value);
    if (!plain.subarray(21, 25).equals(crc32(changed))) return this.#fail(0x1e);
    Object.assign(key, { value: changed, version });
    session.iv = cmac(session.cipher, Buffer.from([0x00]), cryptogram.subarray(-session.cipher.block));
    return status(0x00, session.iv.subarray(0, 8));
  }
}

interface Ev2Session {
  readonly enc: Cipher;
  readonly mac: Cipher;
  readonly ti: Buffer;
  readonly keyNumber: number;
  counter: number;
}

const little = (value: number) => Buffer.from([value & 0xff, value >> 8]);
const odd = (bytes: Buffer) => Buffer.from(bytes.filter((_, index) => index % 2 === 1));
export const ntagApplication = 'd2760000850101';

export class Ntag424 implements Card {
  readonly uid: string;
  readonly keys: Key[] = Array.from({ length: 5 }, () => ({ value: zeros(16), version: 0 }));
  readonly #random: (length: number) => Buffer;
  #selected = false;
  #session: Ev2Session | undefined;
  #pending: ((data: Buffer) => string) | undefined;

  constructor({ uid = newUid(), stampKey, random = randomBytes }: CardSetup = {}) {
    this.uid = uid;
    this.#random = random;
    if (stampKey !== undefined) {
      this.keys[0] = { value: randomBytes(16), version: 1 };
      this.keys[1] = { value: stampKey, version: 1 };
    }
  }

  reset(): void {
    this.#selected = false;
    this.#session = undefined;
    this.#pending = undefined;
  }

  transmit(apdu: string): string {
    const bytes = Buffer.from(apdu, 'hex');
    if (apdu.toLowerCase() === 'ffca000000') return `${this.uid}9000`;
    const data = bytes.length > 5 ? bytes.subarray(5, 5 + bytes[4]!) : zeros(0);
    if (bytes[0] === 0x00 && bytes[1] === 0xa4) {
      this.#session = undefined;
      this.#selected = data.toString('hex') === ntagApplication;
      return this.#selected ? '9000' : '6a82';
    }
    if (bytes[0] !== 0x90) return '6e00';
    if (bytes[1] === 0xaf) {
      const next = this.#pending;
      this.#pending = undefined;
      return next === undefined ? this.#fail(0x1c) : next(data);
    }
    this.#pending = undefined;
    switch (bytes[1]) {
      case 0x60:
        this.#pending = () => {
          this.#pending = () => status(0x00, Buffer.from(`${this.uid}cf4519e3204913`, 'hex'));
          return status(0xaf, Buffer.from('04020101001105', 'hex'));
        };
        return status(0xaf, Buffer.from('04040230001105', 'hex'));
      case 0x71:
        return this.#selected ? this.#authenticate(data[0]!) : this.#fail(0x40);
      case 0x64: {
        const key = this.#selected ? this.keys[data[0]!] : undefined;
        return key === undefined ? this.#fail(0x40) : status(0x00, Buffer.from([key.version]));
      }
      case 0xc4:
        return this.#changeKey(data);
      default:
        return this.#fail(0x1c);
    }
  }

  #fail(code: number): string {
    this.#session = undefined;
    return status(code);
  }

  #authenticate(keyNumber: number): string {
    const key = this.keys[keyNumber];
    if (key === undefined) return this.#fail(0x40);
    this.#session = undefined;
    const cipher = aes(key.value);
    const rndB = this.#random(16);
    this.#pending = (token) => {
      if (token.length !== 32) return this.#fail(0x7e);
      const plain = cipher.decrypt(zeros(16), token);
      const rndA = Buffer.from(plain.subarray(0, 16));
      if (!plain.subarray(16).equals(rotate(rndB))) return this.#fail(0xae);
      const ti = this.#random(4);
      const { enc, mac } = ev2Keys(key.value, rndA, rndB);
      this.#session = { enc: aes(enc), mac: aes(mac), ti, keyNumber, counter: 0 };
      return status(0x00, cipher.encrypt(zeros(16), Buffer.concat([ti, rotate(rndA), zeros(12)])));
    };
    return status(0xaf, cipher.encrypt(zeros(16), rndB));
  }

  #changeKey(data: Buffer): string {
    const session = this.#session;
    const key = this.keys[data[0]!];
    if (session === undefined || key === undefined || session.keyNumber !== 0) return this.#fail(0xae);
    const [cryptogram, mac] = [data.subarray(1, 33), data.subarray(33)];
    const counter = little(session.counter);
    const expected = odd(
      cmac(session.mac, Buffer.concat([Buffer.from([0xc4]), counter, session.ti, data.subarray(0, 33)])),
    );
    if (!mac.equals(expected)) return this.#fail(0x1e);
    const iv = session.enc.encrypt(
      zeros(16),
      Buffer.concat([Buffer.from('a55a', 'hex'), session.ti, counter, zeros(8)]),
    );
    const plain = session.enc.decrypt(iv, cryptogram);
    session.counter += 1;
    const version = plain[16]!;
    if (data[0] === session.keyNumber) {
      this.keys[data[0]!] = { value: Buffer.from(plain.subarray(0, 16)), version };
      this.#session = undefined;
      return status(0x00);
    }
    const changed = xor(plain.subarray(0, 16), key.value);
    if (!plain.subarray(17, 21).equals(crc32(changed))) return this.#fail(0x1e);
    this.keys[data[0]!] = { value: changed, version };
    return status(
      0x00,
      odd(cmac(session.mac, Buffer.concat([Buffer.from([0x00]), little(session.counter), session.ti]))),
    );
  }
}

/** Session keys of AuthenticateEV2First (NT4H2421Gx §9.1.7). */
export function ev2Keys(key: Buffer, rndA: Buffer, rndB: Buffer): { readonly enc: Buffer; readonly mac: Buffer } {
  const context = Buffer.concat([
    rndA.subarray(0, 2),
    xor(rndA.subarray(2, 8), rndB.subarray(0, 6)),
    rndB.subarray(6),
    rndA.subarray(8),
  ]);
  const derive = (label: string) => cmac(aes(key), Buffer.concat([Buffer.from(`${label}00010080`, 'hex'), context]));
  return { enc: derive('a55a'), mac: derive('5aa5') };
}

/** A card that only knows a number, and answers whatever it is asked with what it once heard. */
export class Parrot implements Card {
  readonly uid: string;
  readonly heard: string[];
  #next = 0;

  constructor(uid: string, heard: readonly string[]) {
    this.uid = uid;
    this.heard = [...heard];
  }

  transmit(): string {
    return this.heard[this.#next++] ?? '91ae';
  }

  reset(): void {
    this.#next = 0;
  }
}
