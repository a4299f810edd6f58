export const greeting = 'hello one';
