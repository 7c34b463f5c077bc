/** `size` addresses, starting at `first`. */
export interface AddressRange {
  readonly text: string
  readonly size: number
  at(index: number): string
  has(address: string): boolean
}

/** Parses an IPv4 CIDR such as `127.96.0.0/12`, without network and broadcast address. */
export function addressRange(cidr: string): AddressRange {
  const [base = '', bits = '32'] = cidr.split('/')
  const first = toNumber(base)
  const count = 2 ** (32 - Number(bits))
  return {
    text: cidr,
    size: count - 2,
    at: (index) => toText(first + 1 + index),
    has(address) {
      const offset = toNumber(address) - first
      return offset > 0 && offset < count - 1
    },
  }
}

function toNumber(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0)
}

function toText(number: number): string {
  return [2 ** 24, 2 ** 16, 2 ** 8, 1].map((unit) => Math.floor(number / unit) % 256).join('.')
}
