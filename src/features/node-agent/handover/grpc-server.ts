import { Server, ServerCredentials, status, type ServiceError, type UntypedServiceImplementation } from '@grpc/grpc-js'
import { rm } from 'node:fs/promises'
import { messageType } from './messages.ts'

/** One unary method of a gRPC service. Message types are names of `messages.ts`. */
export interface UnaryMethod {
  readonly request: string
  readonly response: string
  /** Answers a decoded request. */
  readonly handle: (request: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>
}

/** Methods by path: `/csi.v1.Identity/Probe`. */
export type UnaryMethods = Readonly<Record<string, UnaryMethod>>

/** A request that can never succeed. gRPC clients see INVALID_ARGUMENT. */
export class InvalidArgument extends Error {
  override readonly name = 'InvalidArgument'
}

/**
 * Serves methods on a unix socket until disposed. A socket file of an earlier process is replaced.
 */
export async function serveOnSocket(socket: string, methods: UnaryMethods): Promise<AsyncDisposable> {
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

function addMethod(server: Server, path: string, { request, response, handle }: UnaryMethod): void {
  const [requestType, responseType] = [messageType(request), messageType(response)]
  const definition = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: (value: object) => Buffer.from(requestType.encode(requestType.fromObject(value)).finish()),
    requestDeserialize: (bytes: Buffer) => requestType.toObject(requestType.decode(bytes), { defaults: true }),
    responseSerialize: (value: object) => Buffer.from(responseType.encode(responseType.fromObject(value)).finish()),
    responseDeserialize: (bytes: Buffer) => responseType.toObject(responseType.decode(bytes)),
  }
  const implementation: UntypedServiceImplementation = {
    call: (
      call: { readonly request: Readonly<Record<string, unknown>> },
      answer: (error: Partial<ServiceError> | null, value?: object) => void,
    ) => {
      handle(call.request).then(
        (value) => answer(null, value),
        (error: Error) =>
          answer({ code: error instanceof InvalidArgument ? status.INVALID_ARGUMENT : status.INTERNAL, details: error.message }),
      )
    },
  }
  server.addService({ call: definition }, implementation)
}
