// kid with Express: a parameter of a path that is a sealed ID, or 404.
import { kid64 } from './ids.js';
import { separated } from './ids/type.js';
import { isSealed } from './seal.js';

/** @typedef {import('./seal.js').Keys} Keys */

/**
 * Returns a callback for `app.param()`: `app.param('order', sealed('ord'))`. If a text has not the form of a sealed ID,
 * the route does not match, and the answer is 404. No text of another form, such as one with %00, gets to the server.
 * Without keys the parameter stays as it is, for `kid64_unseal($1, 'ord', true)` in a query. With keys it becomes the
 * ID.
 *
 * @param {string} prefix
 * @param {object} [options]
 * @param {Keys | (() => Keys)} [options.keys] can be a function, which returns the keys of the moment
 * @param {import('./seal.js').SealedType<any>} [options.type]
 */
export function sealed(prefix, { keys, type = kid64 } = {}) {
  separated(prefix); // An invalid prefix is an error.
  /**
   * @param {{ params: Record<string, any> }} request
   * @param {unknown} _response
   * @param {(skip?: 'route') => void} next
   * @param {string} text
   * @param {string} name
   */
  return (request, _response, next, text, name) => {
    if (!isSealed(text, prefix)) return next('route');
    if (!keys) return next();
    const id = (typeof keys === 'function' ? keys() : keys).open(type, text, prefix);
    if (id === null) return next('route');
    request.params[name] = id;
    return next();
  };
}
