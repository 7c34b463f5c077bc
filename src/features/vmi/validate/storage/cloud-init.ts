import type { StatusCause } from '#apimachinery/errors.ts'
import type { CloudInitNoCloudSource, Volume } from '#api/kubevirt/v1/volume.ts'
import { invalidValue } from '../cause.ts'

/** Maximum size in bytes of data in the spec: VMs are stored in many copies. */
const maxBytes = 2048

/** Validates the data of a cloud-init volume, with KubeVirt's messages. `path`: of the volume. */
export function validateCloudInit({ cloudInitNoCloud, cloudInitConfigDrive }: Volume, path: string): StatusCause[] {
  const type = cloudInitNoCloud === undefined ? 'cloudInitConfigDrive' : 'cloudInitNoCloud'
  const source = cloudInitNoCloud ?? cloudInitConfigDrive
  if (source === undefined) return []
  const at = `${path}.${type}`
  const user = dataOf(source.secretRef, source.userDataBase64, source.userData)
  const network = dataOf(source.networkDataSecretRef, source.networkDataBase64, source.networkData)
  return [
    ...validateData(user, { at, type, field: 'userDataBase64', name: 'userdata', several: 'userdatasource', secret: 'UserDataSecretRef' }),
    ...validateData(network, {
      at,
      type,
      field: 'networkDataBase64',
      name: 'networkdata',
      several: 'networkdata source',
      secret: 'NetworkDataSecretRef',
    }),
    ...(user.sources + network.sources === 0
      ? [invalidValue(at, `${at} must have at least one userdatasource or one networkdatasource set.`)]
      : []),
  ]
}

/** Data of a cloud-init volume. */
interface Data {
  readonly sources: number
  readonly bytes: number
  readonly isBase64: boolean
}

function dataOf(secret: CloudInitNoCloudSource['secretRef'], base64 = '', text = ''): Data {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64.replaceAll(/[\r\n]/g, ''))
  return {
    sources: [secret?.name ?? '', base64, text].filter((source) => source !== '').length,
    bytes: text === '' ? Buffer.from(base64, 'base64').length : Buffer.byteLength(text),
    isBase64,
  }
}

function validateData(
  { sources, bytes, isBase64 }: Data,
  words: Readonly<Record<'at' | 'type' | 'field' | 'name' | 'several' | 'secret', string>>,
): StatusCause[] {
  const { at, type, field, name, several, secret } = words
  return [
    // KubeVirt repeats the type.
    ...(isBase64 ? [] : [invalidValue(`${at}.${field}`, `${at}.${field}.${type}.${field} is not a valid base64 value.`)]),
    ...(sources > 1 ? [invalidValue(at, `${at} must have only one ${several} set.`)] : []),
    ...(bytes > maxBytes ? [invalidValue(at, `${at} ${name} exceeds ${maxBytes} byte limit. Should use ${secret} for larger data.`)] : []),
  ]
}
