import type { Clock as VmiClock, ClockOffset, Timer } from '#api/kubevirt/v1/domain/clock.ts'
import type { Clock } from '#qemu/index.ts'
import { isOn } from './cpu.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'
import type { Host } from '../node/host.ts'

/**
 * Returns the guest's real-time clock and timers; `nowMs` sets the clock. @throws UnsupportedGuest
 */
export function guestClockOf(clock: VmiClock | undefined, host: Pick<Host, 'accelerator'>, nowMs: number): Clock {
  const { hpet, pit, rtc } = checkedTimers(clock?.timer)
  const isKvm = host.accelerator === 'kvm'
  return {
    base: baseOf(clock ?? {}, nowMs),
    ...(rtc?.track === undefined ? {} : { follows: rtc.track === 'guest' ? 'guest' : 'host' }),
    ...(rtc?.tickPolicy === 'catchup' || (isKvm && rtc?.tickPolicy !== 'delay') ? { catchUp: true } : {}),
    hpet: isOn(hpet, 'present'),
    pit: pit === undefined || isOn(pit, 'present'),
    ...(isKvm && (pit?.tickPolicy === 'delay' || pit?.tickPolicy === 'discard') ? { missedPitTicks: pit.tickPolicy } : {}),
  }
}

function checkedTimers(timer: Timer = {}): Timer {
  const refuse = (field: string, wish: string): never => {
    throw new UnsupportedGuest(`QEMU has no ${wish}: clock.timer.${field}`)
  }
  const { hpet, rtc, pit } = timer
  if (isOn(hpet, 'present') && !['', 'delay'].includes(hpet?.tickPolicy ?? '')) refuse('hpet.tickPolicy', `${hpet?.tickPolicy} for an HPET`)
  if (rtc?.present === false) refuse('rtc.present', 'machine without a real-time clock')
  if (!['', 'delay', 'catchup'].includes(rtc?.tickPolicy ?? '')) refuse('rtc.tickPolicy', `${rtc?.tickPolicy} for a real-time clock`)
  if (!['', 'guest', 'wall'].includes(rtc?.track ?? '')) refuse('rtc.track', `clock that follows "${rtc?.track}"`)
  if (!['', 'delay', 'catchup', 'discard'].includes(pit?.tickPolicy ?? '')) refuse('pit.tickPolicy', `${pit?.tickPolicy} for a PIT`)
  return timer
}

function baseOf({ utc, timezone }: ClockOffset, nowMs: number): string {
  if (timezone !== undefined && timezone !== '') return localTime(timezone, nowMs)
  const offset = Number(utc?.offsetSeconds ?? 0)
  return offset === 0 ? 'utc' : new Date(nowMs + offset * 1000).toISOString().slice(0, 19)
}

/** Returns local time in QEMU's format, which is that of the Swedish locale. */
function localTime(timeZone: string, nowMs: number): string {
  try {
    return new Date(nowMs).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')
  } catch (cause) {
    throw new UnsupportedGuest(`"${timeZone}" is no time zone that this node knows: clock.timezone`, { cause })
  }
}
