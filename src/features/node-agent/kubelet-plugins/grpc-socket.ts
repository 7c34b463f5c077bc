import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  status,
  type MethodDefinition,
  type ServerWritableStream,
  type ServiceError,
  type UntypedHandleCall,
} from '@grpc/grpc-js'
import { rm } from 'node:fs/promises'
import { systemClock } from '#runtime/clock/clock.ts'
import { messageType } from './messages.ts'

/** A decoded message. */
export type Message = Readonly<Record<string, unknown>>

/** Names of the types of a method in `messages.ts`. */
interface MethodTypes {
  readonly request: string
  readonly response: string
}

/** A method that answers a request with one message. */
export interface UnaryMethod extends MethodTypes {
  readonly handle: (request: Message) => Promise<Message>
}

/** A method that answers with messages until the caller ends the call, which aborts the signal. */
export interface StreamingMethod extends MethodTypes {
  readonly stream: (send: (message: Message) => void, signal: AbortSignal) => void
}

/** Methods by path: `/csi.v1.Identity/Probe`. */
export type Methods = Readonly<Record<string, UnaryMethod | StreamingMethod>>

/** A request that can never succeed. gRPC clients see INVALID_ARGUMENT. */
export class InvalidArgument extends Error {
  override readonly name = 'InvalidArgument'
}

/**
 * Serves methods on a unix socket until disposed. A socket file of an earlier process is replaced.
 */
export async function serveOnSocket(socket: string, methods: Methods): Promise<AsyncDisposable> {
  await rm(socket, { force: true })
  const server = new Server()
  for (const [path, method] of Object.entries(methods)) addMethod(server, path, method)
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error)))
  })
  return {
    async [Symbol.asyncDispose]() {
      server.forceShutdown()
      await rm(socket, { force: true })
    },
  }
}

/** Calls a unary method of the server behind a unix socket. Rejects with a ServiceError. */
export async function callOnSocket(socket: string, path: string, types: MethodTypes, request: Message): Promise<Message> {
  const client = new Client(`unix:${socket}`, credentials.createInsecure())
  const { requestSerialize, responseDeserialize } = definitionOf(path, types, false)
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        { deadline: systemClock.now() + callTimeoutMs },
        (error, answer) => (error === null ? resolve(answer ?? {}) : reject(error)),
      )
    })
  } finally {
    client.close()
  }
}

const callTimeoutMs = 10_000

function addMethod(server: Server, path: string, method: UnaryMethod | StreamingMethod): void {
  const isStreaming = 'stream' in method
  const implementation = isStreaming ? streamWith(method) : answerWith(method)
  server.addService({ call: definitionOf(path, method, isStreaming) }, { call: implementation })
}

function definitionOf(path: string, { request, response }: MethodTypes, responseStream: boolean): MethodDefinition<Message, Message> {
  const [requestType, responseType] = [messageType(request), messageType(response)]
  return {
    path,
    requestStream: false,
    responseStream,
    requestSerialize: (value) => Buffer.from(requestType.encode(requestType.fromObject(value)).finish()),
    requestDeserialize: (bytes) => requestType.toObject(requestType.decode(bytes), { defaults: true }),
    responseSerialize: (value) => Buffer.from(responseType.encode(responseType.fromObject(value)).finish()),
    responseDeserialize: (bytes) => responseType.toObject(responseType.decode(bytes)),
  }
}

function answerWith({ handle }: UnaryMethod): UntypedHandleCall {
  return (call: { readonly request: Message }, answer: (error: Partial<ServiceError> | null, value?: Message) => void) => {
    handle(call.request).then(
      (value) => answer(null, value),
      (error: Error) =>
        answer({ code: error instanceof InvalidArgument ? status.INVALID_ARGUMENT : status.INTERNAL, details: error.message }),
    )
  }
}

function streamWith({ stream }: StreamingMethod): UntypedHandleCall {
  return (call: ServerWritableStream<Message, Message>) => {
    const ended = new AbortController()
    call.on('cancelled', () => ended.abort())
    stream((message) => void call.write(message), ended.signal)
  }
}
