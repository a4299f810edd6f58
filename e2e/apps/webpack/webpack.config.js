const path = require('path');

module.exports = {
  mode: 'development',
  devtool: 'source-map',
  entry: { main: './src/index.js', calls: './src/calls.js' },
  devServer: { port: 'auto', host: 'localhost', hot: true, static: path.join(__dirname, 'public') },
};
