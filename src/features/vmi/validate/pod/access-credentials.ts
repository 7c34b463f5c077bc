import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, when } from '../cause.ts'

type Credential = NonNullable<VirtualMachineInstanceSpec['accessCredentials']>[number]

/** Validates that credentials have one kind, source and way into the guest each. */
export function validateAccessCredentials(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  return (spec.accessCredentials ?? []).flatMap((credential, index) => {
    const path = `${base}.accessCredentials[${index}]`
    const { sshPublicKey, userPassword } = credential
    const kinds = [sshPublicKey, userPassword].filter((kind) => kind !== undefined).length
    return [
      ...validateSshKey(credential, path, spec),
      ...(userPassword === undefined ? [] : oneOfEach(userPassword, `${path}.userPassword`, path)),
      ...when(kinds !== 1, invalidValue(path, `${path} must have exactly one access credential type set`)),
    ]
  })
}

function validateSshKey({ sshPublicKey }: Credential, path: string, { volumes = [] }: VirtualMachineInstanceSpec): readonly StatusCause[] {
  if (sshPublicKey === undefined) return []
  const at = `${path}.sshPublicKey`
  const { noCloud, configDrive, qemuGuestAgent } = sshPublicKey.propagationMethod
  const needs = (kind: string): string => `${path} requires a ${kind} volume to exist when the ${kind} propagationMethod is in use.`
  return [
    ...when(
      noCloud !== undefined && !volumes.some(({ cloudInitNoCloud }) => cloudInitNoCloud !== undefined),
      invalidValue(`${at}.propagationMethod`, needs('noCloud')),
    ),
    ...when(
      configDrive !== undefined && !volumes.some(({ cloudInitConfigDrive }) => cloudInitConfigDrive !== undefined),
      invalidValue(`${at}.propagationMethod`, needs('configDrive')),
    ),
    ...when(
      qemuGuestAgent !== undefined && (qemuGuestAgent.users ?? []).length === 0,
      invalidValue(`${at}.propagationMethod.qemuGuestAgent.users`, `${path} requires at least one user to be present in the users list`),
    ),
    ...oneOfEach(sshPublicKey, at, path),
  ]
}

function oneOfEach(
  { source, propagationMethod }: { readonly source: object; readonly propagationMethod: object },
  at: string,
  path: string,
): readonly StatusCause[] {
  const count = (choice: object): number => Object.values(choice).filter((value) => value !== undefined && value !== null).length
  return [
    ...when(count(source) !== 1, invalidValue(`${at}.source`, `${path} must have exactly one source set`)),
    ...when(count(propagationMethod) !== 1, invalidValue(`${at}.propagationMethod`, `${path} must have exactly one propagationMethod set`)),
  ]
}
