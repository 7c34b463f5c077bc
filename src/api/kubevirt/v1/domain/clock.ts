import type { Int64 } from '#api/scalars.ts'

/**
 * Clock and timers of a guest.
 * @preserveUnknownFields
 */
export interface Clock extends ClockOffset {
  /** Timers of the guest. */
  timer?: Timer
}

/** Offset of the guest's clock. At most one member is set. */
export interface ClockOffset {
  /** Offset from UTC. */
  utc?: ClockOffsetUTC
  /** Time zone of the clock, such as `Europe/Prague`. */
  timezone?: string
}

/** Offset from UTC. */
export interface ClockOffsetUTC {
  /** Offset from UTC in seconds. */
  offsetSeconds?: Int64
}

/** Timers of a guest. */
export interface Timer {
  /** High precision event timer (HPET). */
  hpet?: HPETTimer
  /** KVM clock. */
  kvm?: KVMTimer
  /** Programmable interval timer (PIT). */
  pit?: PITTimer
  /** Real-time clock (RTC). */
  rtc?: RTCTimer
  /** Hyper-V clock. */
  hyperv?: HypervTimer
}

/** High precision event timer (HPET). */
export interface HPETTimer {
  /** Policy for missed ticks: delay, catchup, merge or discard. */
  tickPolicy?: string
  /** True if the guest has the timer. */
  present?: boolean
}

/** KVM clock. */
export interface KVMTimer {
  /** True if the guest has the clock. */
  present?: boolean
}

/** Programmable interval timer (PIT). */
export interface PITTimer {
  /** Policy for missed ticks: delay, catchup or discard. */
  tickPolicy?: string
  /** True if the guest has the timer. */
  present?: boolean
}

/** Real-time clock (RTC). */
export interface RTCTimer {
  /** Policy for missed ticks: delay or catchup. */
  tickPolicy?: string
  /** True if the guest has the clock. */
  present?: boolean
  /** Time source of the clock: guest or wall. */
  track?: string
}

/** Hyper-V clock. */
export interface HypervTimer {
  /** True if the guest has the clock. */
  present?: boolean
}
