import type {
  DataVolumeSource,
  DataVolumeSourceHTTP,
  DataVolumeSourceRegistry,
  DataVolumeSourceObject,
} from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolumeSourceRef, DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { TypedObjectReference } from '#api/core/v1/references.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { isQuantity, parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import { isPopulatedOutside, kindOf, type SourceKind } from '../source/source.ts'

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const leastBytes = 1n << 20n
const longestClassName = 253

/** Hexadecimal digits of a digest by its algorithm. */
const digestLengths: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 }

/** Sources that workers cannot read, and what to do instead. */
const unserved: Readonly<Partial<Record<SourceKind, string>>> = {
  gcs: 'read the object by its HTTPS address: https://storage.googleapis.com/BUCKET/OBJECT',
  imageio: 'download the disk from oVirt, and upload it with virtctl image-upload',
  vddk: 'export the disk from VMware as VMDK, and import it from a web server or upload it',
}

/** Finds what is wrong with the spec of a DataVolume, in CDI's words. `path`: `spec`. Pure. */
export function validateDataVolumeSpec(spec: DataVolumeSpec, path: string): StatusCause[] {
  const { pvc, storage, source, sourceRef } = spec
  if (pvc === undefined && storage === undefined) return [invalid(`${path}.storage`, 'Missing Data volume PVC')]
  if (pvc !== undefined && storage !== undefined)
    return [invalid(`${path}.storage`, 'Duplicate storage definition, both target storage and target pvc defined')]
  const part = pvc === undefined ? 'storage' : 'pvc'
  const claim: PersistentVolumeClaimSpec = pvc ?? storage ?? {}
  const ofClaim = [...validateSize(spec, claim, `${path}.${part}`), ...validateClaim(claim, `${path}.${part}`, pvc !== undefined)]
  if (ofClaim.length > 0) return ofClaim
  if (isPopulatedOutside(spec)) return validatePopulation(spec, claim, `${path}.${part}`, path)
  if ((source === undefined) === (sourceRef === undefined))
    return [invalid(`${path}.source`, 'Data volume should have either Source or SourceRef, or be externally populated')]
  if (sourceRef !== undefined) return validateSourceRef(sourceRef, `${path}.sourceRef`)
  const { contentType = '' } = spec
  const ofContent = validateContentType(contentType, path)
  return ofContent.length > 0 ? ofContent : validateSource(source ?? {}, contentType, path, 'Data volume')
}

/** Finds what is wrong with a content type. Pure. */
export function validateContentType(contentType: string, path: string): StatusCause[] {
  if (['', 'kubevirt', 'archive'].includes(contentType)) return []
  return [invalid(`${path}.contentType`, 'ContentType not one of: kubevirt, archive')]
}

function validateSize({ source, sourceRef }: DataVolumeSpec, { resources }: PersistentVolumeClaimSpec, path: string): StatusCause[] {
  const field = `${path}.resources.requests.storage`
  const kind = path.endsWith('.pvc') ? 'PVC' : 'Storage'
  const size = resources?.requests?.['storage']
  if (size === undefined) {
    const isCopy = sourceRef !== undefined || source?.pvc !== undefined || source?.snapshot !== undefined
    return kind === 'Storage' && isCopy ? [] : [invalid(field, `${kind} size is missing`)]
  }
  if (!isQuantity(size)) return [invalid(field, `${kind} size must be a quantity such as 10Gi, and is ${JSON.stringify(size)}`)]
  const bytes = quantityToBytes(parseQuantity(size))
  if (bytes <= 0n) return [invalid(field, `${kind} size can't be equal or less than zero`)]
  return bytes < leastBytes ? [invalid(field, `${kind} size should be at least 1MiB`)] : []
}

function validateClaim(claim: PersistentVolumeClaimSpec, path: string, isVerbatim: boolean): StatusCause[] {
  const { accessModes: modes = [], storageClassName = '' } = claim
  if (storageClassName.length > longestClassName)
    return [invalid(`${path}.storageClassName`, `Name cannot be longer than ${longestClassName} characters`)]
  if (isVerbatim && modes.length === 0) return [invalid(`${path}.accessModes`, 'Required value: at least 1 access mode is required')]
  if (isVerbatim && modes.length > 1) return [invalid(`${path}.accessModes`, 'PVC multiple accessModes')]
  const wrong = modes.find((mode) => !accessModes.includes(mode))
  if (wrong === undefined) return []
  const known = accessModes.map((mode) => `"${mode}"`).join(', ')
  return [invalid(`${path}.accessModes`, `Unsupported value: "${wrong}": supported values: ${known}`)]
}

/** Another controller fills the claim. */
function validatePopulation(
  { source, sourceRef }: DataVolumeSpec,
  claim: PersistentVolumeClaimSpec,
  path: string,
  root: string,
): StatusCause[] {
  const { dataSource, dataSourceRef } = claim
  return [
    ...(source === undefined && sourceRef === undefined
      ? []
      : [invalid(`${root}.source`, 'External population is incompatible with Source and SourceRef')]),
    ...(dataSource !== undefined && dataSourceRef !== undefined && !semanticEqual(dataSource, dataSourceRef)
      ? [invalid(`${path}.dataSourceRef`, 'DataSourceRef and DataSource must match')]
      : []),
    ...(dataSource === undefined ? [] : validateReference(dataSource, `${path}.dataSource`, 'DataSource')),
    ...(dataSourceRef === undefined ? [] : validateReference(dataSourceRef, `${path}.dataSourceRef`, 'DataSourceRef')),
  ]
}

function validateReference({ apiGroup = '', kind, name, namespace = '' }: TypedObjectReference, path: string, what: string): StatusCause[] {
  return [
    ...(namespace === '' ? [] : [invalid(`${path}.namespace`, `Invalid value: ${what} namespace not supported`)]),
    ...(name === '' ? [invalid(`${path}.name`, `Required value: ${what} name`)] : []),
    ...(kind === '' ? [invalid(`${path}.kind`, `Required value: ${what} kind`)] : []),
    ...(apiGroup === '' && kind !== 'PersistentVolumeClaim'
      ? [invalid(`${path}.apiGroup`, `Required value: ${what} apiGroup when kind is not 'PersistentVolumeClaim'`)]
      : []),
  ]
}

function validateSourceRef({ kind, name }: DataVolumeSourceRef, path: string): StatusCause[] {
  if (kind === '') return [invalid(`${path}.kind`, 'Missing sourceRef kind')]
  if (kind !== 'DataSource') return [invalid(`${path}.kind`, `Unsupported sourceRef kind ${kind}, currently only DataSource is supported`)]
  return name === '' ? [invalid(`${path}.name`, 'Missing sourceRef name')] : []
}

/** Finds what is wrong with a source. `what`: the kind of object that has it. Pure. */
export function validateSource(source: DataVolumeSource, contentType: string, path: string, what: string): StatusCause[] {
  const kinds = Object.values(source).filter((each) => each !== undefined && each !== null)
  if (kinds.length === 0) return [invalid(`${path}.source`, `Missing ${what} source`)]
  if (kinds.length > 1) return [invalid(`${path}.source`, `Multiple ${what} sources`)]
  const kind = kindOf(source)
  const instead = kind === undefined ? undefined : unserved[kind]
  if (instead !== undefined) return [invalid(`${path}.source.${kind ?? ''}`, `Source ${kind ?? ''} is not supported yet: ${instead}`)]
  const { http, s3, registry, pvc, snapshot } = source
  if (kind === 'blank' && contentType === 'archive')
    return [invalid(`${path}.contentType`, 'SourceType cannot be blank and the contentType be archive')]
  if (http !== undefined) return validateHttp(http, `${path}.source.http`)
  if (s3 !== undefined) return validateUrl(s3.url, `${path}.source.s3`, ['http', 'https', 's3'])
  if (registry !== undefined) return validateRegistry(registry, contentType, path)
  if (snapshot !== undefined) return validateObject(snapshot, `${path}.source.snapshot`, 'snapshot')
  return pvc === undefined ? [] : validateObject(pvc, `${path}.source.pvc`, 'PVC')
}

function validateObject({ namespace, name }: DataVolumeSourceObject, field: string, what: string): StatusCause[] {
  return namespace === '' || name === '' ? [invalid(field, `${field} source ${what} is not valid`)] : []
}

function validateHttp({ url, checksum = '', extraHeaders = [] }: DataVolumeSourceHTTP, path: string): StatusCause[] {
  const ofHeaders = extraHeaders.flatMap((header, index) =>
    // The value may be a secret, so that it is not shown.
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*[\t\x20-\x7E]*$/.test(header)
      ? []
      : [invalid(`${path}.extraHeaders[${index}]`, 'a header must be of the form "Name: value"')],
  )
  return [...validateUrl(url, path, ['http', 'https']), ...validateChecksum(checksum, `${path}.checksum`), ...ofHeaders]
}

function validateUrl(url: string, path: string, schemes: readonly string[]): StatusCause[] {
  if (url === '') return [invalid(`${path}.url`, `${path} source URL is empty`)]
  const parsed = URL.parse(url)
  if (parsed === null) return [invalid(`${path}.url`, `${path} Invalid source URL: ${url}`)]
  return schemes.includes(parsed.protocol.slice(0, -1)) ? [] : [invalid(`${path}.url`, `${path} Invalid source URL scheme: ${url}`)]
}

function validateChecksum(checksum: string, field: string): StatusCause[] {
  if (checksum === '') return []
  const [algorithm = '', digits = '', ...rest] = checksum.split(':')
  const length = Object.hasOwn(digestLengths, algorithm) ? digestLengths[algorithm] : undefined
  if (length === undefined || rest.length > 0) {
    const known = Object.keys(digestLengths).join(', ')
    return [invalid(field, `Invalid checksum format: must be ALGORITHM:DIGITS with one of ${known}`)]
  }
  if (digits.length === length && /^[0-9a-f]*$/i.test(digits)) return []
  return [invalid(field, `Invalid checksum format: a ${algorithm} digest has ${length} hexadecimal digits, and this one is "${digits}"`)]
}

function validateRegistry(
  { url, imageStream, pullMethod = '' }: DataVolumeSourceRegistry,
  contentType: string,
  path: string,
): StatusCause[] {
  const field = `${path}.source.registry`
  if (!['', 'kubevirt'].includes(contentType))
    return [invalid(`${path}.contentType`, 'ContentType must be kubevirt when Source is Registry')]
  if ((url === undefined) === (imageStream === undefined)) return [invalid(field, 'Source registry should have either URL or ImageStream')]
  if (!['', 'pod', 'node'].includes(pullMethod))
    return [invalid(`${field}.pullMethod`, `ImportMethod ${pullMethod} is neither pod, node or ""`)]
  if (imageStream !== undefined)
    return [invalid(`${field}.imageStream`, 'ImageStreams of OpenShift are not supported: name the image by url')]
  const scheme = /^([a-z-]+):\/\/./.exec(url ?? '')?.[1]
  if (scheme === undefined) return [invalid(`${field}.url`, `Illegal registry source URL ${url ?? ''}`)]
  return ['docker', 'oci-archive'].includes(scheme) ? [] : [invalid(`${field}.url`, `Illegal registry source URL scheme ${url ?? ''}`)]
}

function invalid(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}
