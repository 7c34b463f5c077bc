import type { QmpConnection } from '../qmp/connection.ts'
import { unlessRefused } from '../qmp/refusal.ts'

/** A property of an object in QEMU. */
export interface QomProperty {
  readonly name: string
  readonly type: string
}

/** The properties of an object; none when there is no such object. */
export async function listProperties(qmp: QmpConnection, path: string): Promise<QomProperty[]> {
  return (await ask(qmp, 'qom-list', { path }))?.map((property) => property as QomProperty) ?? []
}

/** Returns the wanted properties that the object has and reports, as text. */
export async function readProperties(
  qmp: QmpConnection,
  path: string,
  isWanted: (property: QomProperty) => boolean,
): Promise<Map<string, string>> {
  const wanted = (await listProperties(qmp, path)).filter(({ type }) => !/^(child|link)</.test(type)).filter(isWanted)
  const values = await Promise.all(wanted.map(({ name }) => readProperty(qmp, path, name)))
  return new Map(wanted.flatMap(({ name }, index) => (values[index] === undefined ? [] : [[name, values[index]] as const])))
}

async function readProperty(qmp: QmpConnection, path: string, property: string): Promise<string | undefined> {
  // Some are there only at times, some can only be written.
  const value = await unlessRefused(qmp.execute('qom-get', { path, property }))
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

async function ask(qmp: QmpConnection, command: string, argument: Record<string, unknown>): Promise<readonly unknown[] | undefined> {
  return unlessRefused(qmp.execute(command, argument) as Promise<readonly unknown[]>)
}
