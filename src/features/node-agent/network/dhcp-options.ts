import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'

/**
 * Returns the DHCP options that a card asks for, as dnsmasq takes them: `42,10.0.0.1` or
 * `67,"boot.efi"`. Pure. @throws UnsupportedGuest for a text that cannot be an option
 */
export function dhcpOptionsOf({ spec }: VirtualMachineInstance, card: string): string[] {
  const options = spec.domain.devices.interfaces?.find(({ name }) => name === card)?.dhcpOptions
  if (options === undefined) return []
  const { ntpServers = [], tftpServerName = '', bootFileName = '', privateOptions = [] } = options
  const texts = [
    ...(tftpServerName === '' ? [] : [[66, tftpServerName] as const]),
    ...(bootFileName === '' ? [] : [[67, bootFileName] as const]),
    ...privateOptions.map(({ option, value }) => [option, value] as const),
  ]
  return [
    ...(ntpServers.length === 0 ? [] : [`42,${ntpServers.join()}`]),
    ...texts.map(([number, text]) => `${number},"${checked(text, card)}"`),
  ]
}

const maxBytes = 255

/** A quote or a line break would begin another option. */
function checked(text: string, card: string): string {
  if (/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/.test(text) && text.length <= maxBytes) return text
  throw new UnsupportedGuest(
    `dhcpOptions of interface "${card}" must be printable ASCII of at most ${maxBytes} characters, without quotes and backslashes: ${JSON.stringify(text)}`,
  )
}
