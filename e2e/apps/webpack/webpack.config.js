const path = require('path');

module.exports = {
  mode: 'development',
  devtool: 'source-map',
  entry: './src/index.js',
  devServer: { port: 'auto', host: 'localhost', hot: true, static: path.join(__dirname, 'public') },
};
