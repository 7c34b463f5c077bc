/** What a card has sent and received since its tap device was created, as the guest sees it. */
export interface CardCounters {
  readonly received: TrafficCounters
  readonly transmitted: TrafficCounters
}

/** Traffic in one direction. */
export interface TrafficCounters {
  readonly bytes: number
  readonly packets: number
  readonly errors: number
  readonly dropped: number
}

/**
 * Reads the counters of all devices from the text of `/proc/net/dev`, by the name of the device.
 * What a tap device transmits is what the guest receives. Pure.
 */
export function parseCardCounters(text: string): ReadonlyMap<string, CardCounters> {
  return new Map(
    text.split('\n').flatMap((line): [string, CardCounters][] => {
      const [, name, counts = ''] = /^\s*([^\s:]+):(.*)$/.exec(line) ?? []
      const fields = counts.trim().split(/\s+/).map(Number)
      if (name === undefined || fields.length < 16 || fields.some(Number.isNaN)) return []
      const [fromGuest, toGuest] = [trafficIn(fields.slice(0, 8)), trafficIn(fields.slice(8))]
      return [[name, { received: toGuest, transmitted: fromGuest }]]
    }),
  )
}

function trafficIn([bytes = 0, packets = 0, errors = 0, dropped = 0]: readonly number[]): TrafficCounters {
  return { bytes, packets, errors, dropped }
}
