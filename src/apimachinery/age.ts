const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

function pair(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major}${majorUnit}` : `${major}${majorUnit}${minor}${minorUnit}`
}

/**
 * A duration in milliseconds as kubectl prints AGE: two units while that helps, then one (`90s`,
 * `2m10s`, `3h`, `4d1h`, `2y3d`). Clocks of two machines differ a little, so slightly negative ages
 * are `0s`; older ones are `<invalid>`.
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000)
  if (Number.isNaN(seconds) || seconds < -1) return '<invalid>'
  if (seconds <= 0) return '0s'
  if (seconds < 2 * minute) return `${seconds}s`
  const minutes = Math.trunc(seconds / minute)
  if (minutes < 10) return pair(minutes, 'm', seconds % minute, 's')
  if (seconds < 3 * hour) return `${minutes}m`
  const hours = Math.trunc(seconds / hour)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(seconds / day)
  if (days < 8) return pair(days, 'd', hours % 24, 'h')
  if (seconds < 2 * year) return `${days}d`
  const years = Math.trunc(seconds / year)
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`
}
