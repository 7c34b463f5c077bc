import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { newestKubectl } from '../kubectl.ts'
import { textAt, type KubeJson, type TestMachine } from '../machine.ts'

/**
 * Downloads as `virtctl vmexport download --port-forward` does: to a pod of the Service, by the
 * links of the status.
 */
export class Downloads implements AsyncDisposable {
  readonly #forward: ChildProcess
  readonly #port: number
  readonly #link: KubeJson
  readonly #token: string

  private constructor(forward: ChildProcess, port: number, link: KubeJson, token: string) {
    this.#forward = forward
    this.#port = port
    this.#link = link
    this.#token = token
  }

  static async of(machine: TestMachine, name: string): Promise<Downloads> {
    const found = await machine.getJson('vmexport', name)
    const secret = await machine.getJson('secret', textAt(found, 'status.tokenSecretRef'))
    const service = `service/${textAt(found, 'status.serviceName')}`
    const forward = spawn(newestKubectl().path, ['port-forward', service, ':443'], {
      env: machine.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const port = await new Promise<number>((resolve, reject) => {
      forward.once('exit', () => reject(new assert.AssertionError({ message: 'the port is not forwarded' })))
      forward.stdout.on('data', (text: Buffer) => {
        const local = /127\.0\.0\.1:(\d+) ->/.exec(text.toString())?.[1]
        if (local !== undefined) resolve(Number(local))
      })
    })
    return new Downloads(
      forward,
      port,
      (found['status'] as KubeJson)['links']?.['internal'] as KubeJson,
      Buffer.from(textAt(secret, 'data.token'), 'base64').toString(),
    )
  }

  async get(url: string, token: string = this.#token): Promise<{ readonly code: number | undefined; readonly body: Buffer }> {
    const { hostname, pathname } = new URL(url)
    const headers = { 'x-kubevirt-export-token': token }
    // The certificate is that of the link, for the host of the link.
    const place = { host: '127.0.0.1', port: this.#port, servername: hostname, ca: textAt(this.#link, 'cert'), agent: false }
    const sent = request({ ...place, path: pathname, headers })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { code: response.statusCode, body: Buffer.concat((await response.toArray()) as Buffer[]) }
  }

  /** URL of the only volume, or of a manifest. */
  url(kind: 'raw' | 'gzip' | 'tar.gz' | 'all' | 'auth-header-secret'): string {
    type Urls = readonly { readonly format?: string; readonly type?: string; readonly url: string }[]
    const { manifests, volumes } = this.#link as unknown as { manifests: Urls; volumes: readonly { readonly formats: Urls }[] }
    return (
      [...manifests, ...(volumes[0]?.formats ?? [])].find(({ format, type }) => format === kind || type === kind)?.url ?? assert.fail(kind)
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#forward.kill()
    if (this.#forward.exitCode === null && this.#forward.signalCode === null) await once(this.#forward, 'exit')
  }
}
