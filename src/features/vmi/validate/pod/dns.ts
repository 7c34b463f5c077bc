import { isIP } from 'node:net'
import type { StatusCause } from '#apimachinery/errors.ts'
import { validateName } from '#apimachinery/names.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, requiredValue, when } from '../cause.ts'

const maxNameservers = 3
const maxSearches = 6
const maxSearchCharacters = 256

/** Validates how the guest's pod resolves names, by the rules of pods. */
export function validateDns({ dnsPolicy = '', dnsConfig }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const path = `${base}.dnsConfig`
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {}
  if (dnsPolicy === 'None' && dnsConfig === undefined) return [requiredValue(path, 'must provide `dnsConfig` when `dnsPolicy` is None')]
  if (dnsPolicy === 'None' && nameservers.length === 0)
    return [requiredValue(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')]
  return [
    ...when(
      nameservers.length > maxNameservers,
      invalidValue(`${path}.nameservers`, `must not have more than ${maxNameservers} nameservers: [${nameservers.join(' ')}]`),
    ),
    ...nameservers.flatMap((server) =>
      when(isIP(server) === 0, invalidValue(`${path}.nameservers`, `must be valid IP address: ${server}`)),
    ),
    ...when(searches.length > maxSearches, invalidValue(`${path}.searches`, `must not have more than ${maxSearches} search paths`)),
    ...when(
      searches.join(' ').length > maxSearchCharacters,
      invalidValue(`${path}.searches`, `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`),
    ),
    ...searches.flatMap((search) => validateName(search, 'dns-subdomain').map((why) => invalidValue(`${path}.searches`, why))),
    ...options.flatMap(({ name = '' }) => when(name === '', invalidValue(`${path}.options`, 'Option.Name must not be empty'))),
  ]
}
