import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import type { TestMachine } from '../machine.ts'

/** Path of the subresources of a namespace, below which are those of VMs and VMIs. */
export function subresourcesPath({ namespace }: Pick<TestMachine, 'namespace'>): string {
  return `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}`
}

/**
 * Opens a stream as virtctl does. `path`: below {@link subresourcesPath}. `user`: for whom an
 * administrator opens it.
 */
export function openStream(machine: TestMachine, path: string, user?: string): WebSocket {
  const headers = user === undefined ? {} : { 'Impersonate-User': user }
  return new WebSocket(streamUrl(machine, path), ['plain.kubevirt.io'], { ...machine.credentials('admin'), headers })
}

/** Returns the URL of a stream. */
export function streamUrl(machine: TestMachine, path: string): string {
  const server = /"?server"?: "?https([^\s"]+)/.exec(readFileSync(machine.kubeconfig, 'utf8'))?.[1] ?? ''
  return `wss${server}${subresourcesPath(machine)}/${path}`
}

/** Returns the status and the message of a refused upgrade. */
export async function refusalOf(client: WebSocket): Promise<readonly [code: number, message: string]> {
  client.on('error', () => {})
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, NodeJS.ReadableStream & { statusCode: number }]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return [response.statusCode, (JSON.parse(text) as { message: string }).message]
}
