import type { StatusCause } from '#apimachinery/errors.ts'
import { validateName } from '#apimachinery/names.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { duplicateValue, invalidValue, requiredValue, when } from '../cause.ts'

/** A GPU or another device of the node. */
interface HostDevice {
  readonly deviceName?: string
  readonly claimName?: string
  readonly requestName?: string
}

/** Validates that devices of the node are found by a name or by a claim, and the claims. */
export function validateResourceClaims(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const { gpus = [], hostDevices = [] } = spec.domain.devices
  const claims = spec.resourceClaims ?? []
  const used = [...gpus, ...hostDevices].filter(isClaimed).map(({ claimName = '' }) => claimName)
  const known = new Set(claims.map(({ name }) => name))
  const missing =
    'vmi.spec.resourceClaims must specify all claims used in vmi.spec.domain.devices.gpus and vmi.spec.domain.devices.hostDevices'
  return [
    ...claims.flatMap((claim, index) => validateClaim(claim, `${base}.resourceClaims[${index}]`, claims.slice(0, index))),
    ...validateHostDevices(gpus, `${base}.domain.devices.gpus`, { list: 'gpus', type: 'GPU', isMixed: false }),
    ...validateHostDevices(hostDevices, `${base}.domain.devices.hostDevices`, { list: 'hostDevices', type: 'HostDevice', isMixed: true }),
    ...when(
      used.some((name) => name !== '' && !known.has(name)),
      invalidValue(`${base}.resourceClaims`, missing),
    ),
  ]
}

type Claim = NonNullable<VirtualMachineInstanceSpec['resourceClaims']>[number]

function validateClaim(claim: Claim, path: string, earlier: readonly Claim[]): readonly StatusCause[] {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim
  const field = `${path}.name`
  const problems = name === '' ? [] : validateName(name, 'dns-label')
  const isRepeated = name !== '' && earlier.some((other) => other.name === name)
  return [
    ...when(name === '', requiredValue(field, `${field} is a required field`)),
    ...when(isRepeated, duplicateValue(field, `duplicate resourceClaims name "${name}"`)),
    ...when(
      !isRepeated && problems.length > 0,
      invalidValue(field, `${field} does not conform to the kubernetes DNS_LABEL rules: ${problems.join(', ')}`),
    ),
    ...when(
      resourceClaimName !== undefined && resourceClaimTemplateName !== undefined,
      invalidValue(path, 'at most one of resourceClaimName or resourceClaimTemplateName may be specified'),
    ),
    ...when(
      resourceClaimName === undefined && resourceClaimTemplateName === undefined,
      invalidValue(path, 'must specify one of: resourceClaimName, resourceClaimTemplateName'),
    ),
    ...Object.entries({ resourceClaimName, resourceClaimTemplateName }).flatMap(([key, value]) =>
      value === undefined ? [] : validateName(value, 'dns-subdomain').map((why) => invalidValue(`${path}.${key}`, why)),
    ),
  ]
}

/** Validates one list of devices. `isMixed` is true where both ways may be used in it. */
function validateHostDevices(
  devices: readonly HostDevice[],
  path: string,
  { list, type, isMixed }: { readonly list: string; readonly type: string; readonly isMixed: boolean },
): readonly StatusCause[] {
  const name = `vmi.spec.domain.devices.${list}`
  const claimed = devices.filter(isClaimed)
  const others = devices.filter((device) => !isClaimed(device))
  if (!isMixed && claimed.length > 0 && others.length > 0) {
    const message = `${name} contains both DRA and non-DRA ${type}s; each ${type} must be either DRA or non-DRA`
    return [invalidValue(path, message)]
  }
  const nameless = `${name} contains ${type}s without deviceName or claimRequest; each ${type} must specify either a deviceName or a claimRequest`
  const pairs = claimed.map(({ claimName = '', requestName = '' }) => `${claimName}/${requestName}`)
  return [
    ...others.flatMap((device) => [
      ...when(!device.deviceName, requiredValue(path, nameless)),
      ...when(
        Boolean(device.deviceName) && hasClaim(device),
        invalidValue(path, `${name} contains ${type}s with both deviceName and claimRequest`),
      ),
    ]),
    ...devices.flatMap((device, index) => {
      if (!isClaimed(device)) return []
      const { claimName = '', requestName = '' } = device
      const pair = `${claimName}/${requestName}`
      const at = `${path}[${index}]`
      return [
        ...when(claimName === '', requiredValue(`${at}.claimName`, `claimName is required for DRA ${type}`)),
        ...when(requestName === '', requiredValue(`${at}.requestName`, `requestName is required for DRA ${type}`)),
        ...when(
          claimName !== '' && requestName !== '' && pairs.indexOf(pair) < claimed.indexOf(device),
          duplicateValue(at, `duplicate claimName/requestName pair "${pair}"`),
        ),
      ]
    }),
  ]
}

function hasClaim({ claimName, requestName }: HostDevice): boolean {
  return claimName !== undefined || requestName !== undefined
}

function isClaimed(device: HostDevice): boolean {
  return !device.deviceName && hasClaim(device)
}
