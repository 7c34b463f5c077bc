import { isJsonObject } from '#apimachinery/own-property.ts'
import { gatesToV1, gatesToV1beta1 } from './convert-gates.ts'
import { sameFields } from './field-paths.ts'
import { valueAt, withValueAt, type FieldPath } from '../../value-at.ts'

type Version = 'v1' | 'v1beta1'

/** Converts what both versions can express. Fields of one version alone are left out. Pure. */
export function specTo(version: Version, spec: unknown): unknown {
  const from: Version = version === 'v1' ? 'v1beta1' : 'v1'
  const moves = sameFields.map((field): [FieldPath, unknown] => [field[version], valueAt(spec, field[from])])
  const gates = valueAt(spec, ['featureGates'])
  const moved: readonly [FieldPath, unknown][] = [
    [['featureGates'], version === 'v1' ? gatesToV1(gates) : gatesToV1beta1(gates)],
    ...moves,
    ...mediatedDevices(version, spec),
  ]
  return moved.reduce<unknown>((made, [path, value]) => (value === undefined ? made : withValueAt(made, path, value)), {})
}

const mediatedPath: Readonly<Record<Version, FieldPath>> = {
  v1: ['virtualization', 'mediatedDevicesConfiguration'],
  v1beta1: ['mediatedDevicesConfiguration'],
}

/** v1beta1 has an old spelling of each list of types. */
function mediatedDevices(version: Version, spec: unknown): readonly [FieldPath, unknown][] {
  const from = valueAt(spec, mediatedPath[version === 'v1' ? 'v1beta1' : 'v1'])
  if (!isJsonObject(from)) return []
  const typesOf = (holder: Readonly<Record<string, unknown>>): unknown =>
    version === 'v1' ? (holder['mediatedDeviceTypes'] ?? holder['mediatedDevicesTypes']) : holder['mediatedDeviceTypes']
  const nodes = from['nodeMediatedDeviceTypes']
  const renamed = (item: unknown): unknown => {
    if (!isJsonObject(item)) return item
    const { mediatedDeviceTypes: _, mediatedDevicesTypes: __, ...rest } = item
    const types = typesOf(item)
    return types === undefined ? rest : { ...rest, mediatedDeviceTypes: types }
  }
  return [
    [[...mediatedPath[version], 'mediatedDeviceTypes'], typesOf(from)],
    [[...mediatedPath[version], 'nodeMediatedDeviceTypes'], Array.isArray(nodes) ? nodes.map(renamed) : nodes],
  ]
}
