import type { Int64 } from '#api/scalars.ts'

/**
 * Clock and timers of a guest.
 * @preserveUnknownFields
 */
export interface Clock extends ClockOffset {
  /** Timers of the guest. */
  timer?: Timer
}

/** Offset of the clock; at most one member is set. */
export interface ClockOffset {
  /** Coordinated universal time. */
  utc?: ClockOffsetUTC
  /** Time of a zone: `Europe/Prague`. */
  timezone?: string
}

/** Coordinated universal time. */
export interface ClockOffsetUTC {
  /** Seconds to add. */
  offsetSeconds?: Int64
}

/** Timers of a guest. */
export interface Timer {
  /** High precision event timer. */
  hpet?: HPETTimer
  /** Clock of KVM. */
  kvm?: KVMTimer
  /** Programmable interval timer. */
  pit?: PITTimer
  /** Real time clock. */
  rtc?: RTCTimer
  /** Clock of Hyper-V. */
  hyperv?: HypervTimer
}

/** High precision event timer. */
export interface HPETTimer {
  /** Policy for missed ticks: delay, catchup, merge or discard. */
  tickPolicy?: string
  /** Whether it is there. */
  present?: boolean
}

/** Clock of KVM. */
export interface KVMTimer {
  /** Whether it is there. */
  present?: boolean
}

/** Programmable interval timer. */
export interface PITTimer {
  /** Policy for missed ticks: delay, catchup or discard. */
  tickPolicy?: string
  /** Whether it is there. */
  present?: boolean
}

/** Real time clock. */
export interface RTCTimer {
  /** Policy for missed ticks: delay or catchup. */
  tickPolicy?: string
  /** Whether it is there. */
  present?: boolean
  /** Clock to follow: guest or wall. */
  track?: string
}

/** Clock of Hyper-V. */
export interface HypervTimer {
  /** Whether it is there. */
  present?: boolean
}
