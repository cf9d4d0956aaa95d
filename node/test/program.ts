// A program in TypeScript, which is checked and not run: a line that has to be an error says so.
import { kid53, kid64, uuidv7, type IdType, type Time } from 'pgkid';

const id: string = kid64.floor(new Date());
const number: number = kid53.fromText('5');
const sequence: number = kid64.parts(id).sequence;
const maybe: Date | null = uuidv7.time('018f3b5c-7d4e-7abc-8def-0123456789ab');
const times: Date[] = [id].map(kid64.time);
const type: IdType<string, object> = kid64;
const time: Time = 5n;

// @ts-expect-error: kid53 is a number
kid53.time('5');
// @ts-expect-error: the time may be null
const never: Date = uuidv7.time('');
// @ts-expect-error: a kid64 has no node
kid64.parts(id).node;

export { id, number, sequence, maybe, times, type, time, never };
