import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'

/** A request that is sent repeatedly. */
export interface Question {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: object
}

/** Sends requests at a constant rate with the initial identity of a kubeconfig, without retries. */
export interface SteadyLoad {
  /** Number of successful responses so far. */
  readonly answered: number
  /** Failures so far: no answer, or an unsuccessful one. */
  readonly failures: readonly string[]
  /** Stops sending, and waits for running requests. */
  stop(): Promise<void>
}

interface Kubeconfig {
  readonly server: string
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Reads the single cluster and user of a kubeconfig written by `up`. */
function readKubeconfig(file: string): Kubeconfig {
  const text = readFileSync(file, 'utf8')
  const valueOf = (key: string): string => new RegExp(`${key}: (\\S+)`).exec(text)?.[1] ?? ''
  const decoded = (key: string): string => Buffer.from(valueOf(key), 'base64').toString()
  const [ca, cert, key] = ['certificate-authority-data', 'client-certificate-data', 'client-key-data'].map(decoded)
  return { server: valueOf('server'), ca: ca ?? '', cert: cert ?? '', key: key ?? '' }
}

/** Every fifth request uses a new connection, which tests handshakes, too. */
const newConnectionEvery = 5

/** Starts to send requests, one after the other, at this rate per second. */
export function startLoad(kubeconfig: string, perSecond: number, questions: readonly Question[]): SteadyLoad {
  const { server, ...identity } = readKubeconfig(kubeconfig)
  const agent = new Agent({ ...identity, keepAlive: true })
  const failures: string[] = []
  const running = new Set<Promise<void>>()
  let [asked, answered] = [0, 0]

  const ask = ({ method, path, body }: Question, isAlone: boolean): Promise<void> =>
    new Promise((resolve) => {
      const own = isAlone ? { ...identity, agent: false as const } : { agent }
      const fail = (why: string): void => {
        failures.push(`${new Date().toISOString()} ${method} ${path}${isAlone ? ' (new connection)' : ''}: ${why}`)
        resolve()
      }
      const headers = { accept: 'application/json', 'content-type': 'application/json' }
      const sent = request(`${server}${path}`, { method, headers, timeout: 20_000, ...own }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', (error) => fail(error.message))
        response.on('end', () => {
          const { statusCode = 0 } = response
          answered += 1
          if (statusCode < 300) resolve()
          else fail(`${statusCode} ${Buffer.concat(chunks).toString().slice(0, 300)}`)
        })
      })
      sent.on('timeout', () => sent.destroy(new Error('no answer within 20 s')))
      sent.on('error', (error) => fail(error.message))
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })

  const timer = setInterval(() => {
    const question = questions[asked % questions.length]
    if (question === undefined) return
    asked += 1
    const answer: Promise<void> = ask(question, Math.floor(asked / questions.length) % newConnectionEvery === 0).finally(() =>
      running.delete(answer),
    )
    running.add(answer)
  }, 1000 / perSecond)
  return {
    get answered() {
      return answered
    },
    failures,
    async stop() {
      clearInterval(timer)
      await Promise.all(running)
      agent.destroy()
    },
  }
}
